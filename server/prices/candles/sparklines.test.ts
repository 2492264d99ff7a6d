import { expect, test } from 'vitest'
import { pricesCalls } from '#contract/prices/prices.ts'
import { MINUTE_MS, SECOND_MS } from '#kernel/time.ts'
import { startTestPrices, type TestPrices } from '#tests/support/prices/prices.ts'
import { scriptedFeed } from '#tests/support/prices/scripted-feed.ts'
import { testDatabase } from '#tests/support/servers/database.ts'

async function lines(prices: TestPrices): Promise<Record<string, number[]>> {
  const answer = await prices.routes['GET /prices/sparklines']({ reads: prices.db } as never)
  return pricesCalls['GET /prices/sparklines'].reply.parse(JSON.parse((answer as { text: string }).text)).data.lines
}

test('a line follows the closes of half hours, from 0 to 100, and repeats what has no prices', async () => {
  const prices = await startTestPrices(await testDatabase(), { feed: scriptedFeed('live') })
  for (const [minutes, price] of [
    [0, '100.00'],
    [30, '300.00'],
    [60, '200.00'],
    [30, '150.00'],
  ] as const) {
    prices.clock.advance(minutes * MINUTE_MS)
    await prices.tick({ BTCUSDT: price })
  }
  expect(await lines(prices)).toEqual({ BTCUSDT: [0, 100, 100, 50, 25] })
})

test('a line continues into the history, also when that is made after the first answer', async () => {
  const prices = await startTestPrices(await testDatabase(), { feed: scriptedFeed('simulation') })
  await prices.tick({ BTCUSDT: '61837.63', ETHBTC: '0.0434' })
  expect(await lines(prices)).toEqual({})
  await prices.runHousekeeping()
  prices.clock.advance(MINUTE_MS)
  await prices.tick({ BTCUSDT: '61837.63', ETHBTC: '0.0434' })
  const made = await lines(prices)
  expect(Object.keys(made).sort()).toEqual(['BTCUSDT', 'ETHBTC'])
  for (const line of Object.values(made)) {
    expect(line).toHaveLength(48)
    expect([Math.min(...line), Math.max(...line)]).toEqual([0, 100])
  }
})

test('one answer serves everyone for a minute', async () => {
  const prices = await startTestPrices(await testDatabase(), { feed: scriptedFeed('simulation') })
  const ask = () => prices.routes['GET /prices/sparklines']({ reads: prices.db } as never)
  await prices.tick({ BTCUSDT: '61837.63' })
  const first = ask()
  prices.clock.advance(SECOND_MS)
  expect(ask()).toBe(first)
  prices.clock.advance(MINUTE_MS)
  expect(ask()).not.toBe(first)
})
