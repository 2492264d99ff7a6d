import { expect, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { memoryWhileReading } from '#tests/support/memory.ts'
import { statementPdf } from './statement-pdf.ts'

const HEAD = {
  brand: 'Cleartick',
  email: 'ada@example.org',
  mode: 'real' as const,
  from: '2026-11-01',
  to: '2026-11-30',
  opening: usd(0n),
  closing: usd(100n),
}

async function* lines(count: number, drawn: () => void = () => undefined) {
  for (let n = 0; n < count; n++) {
    drawn()
    yield {
      at: Date.UTC(2026, 10, 1) + n,
      type: 'trade',
      reference: '0AKR850YM0000',
      description: `Settled: BTCUSDT Buy Won ${n}`,
      amount: usd(n % 2 ? 100n : -100n),
      balance: usd(100n),
    }
  }
}

test('100,000 movements take no more memory than a few', async () => {
  const { bytes, growth } = await memoryWhileReading(statementPdf(HEAD, lines(100_000)), 300_000)
  expect(bytes).toBeGreaterThan(5_000_000)
  expect(growth, `${bytes} bytes were read`).toBeLessThan(2_000_000)
}, 60_000)

test('who reads nothing gets only a few pages written, and who goes away none', async () => {
  let drawn = 0
  const pdf = statementPdf(
    HEAD,
    lines(100_000, () => {
      drawn += 1
    }),
  )
  // Stands still once the pipe is full.
  let waiting: number
  do {
    waiting = drawn
    await new Promise((resolve) => setTimeout(resolve, 500))
  } while (drawn > waiting)
  expect(drawn).toBeGreaterThan(100)
  expect(drawn).toBeLessThan(10_000)
  pdf.destroy()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(drawn).toBeLessThan(waiting + 100)
})

test('a source that fails ends the file as broken', async () => {
  async function* failing() {
    yield* lines(200)
    throw new Error('the database is gone')
  }
  await expect(
    (async () => {
      for await (const _ of statementPdf(HEAD, failing()));
    })(),
  ).rejects.toThrow('the database is gone')
})
