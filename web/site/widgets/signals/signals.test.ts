import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { checkChain, outcomeOf } from './signals.ts'

test('a curve adds wins at the payout of their side and takes the stake of losses', () => {
  const outcome = outcomeOf(
    {
      buckets: [
        [0, 1, 0, 0, 1, 0, 0],
        [1, 0, 1, 2, 0, 3, 1],
      ],
      spread: { closes: 2, ww: 5, wl: 3, ll: 2 },
    },
    'best',
  )
  // Buy wins 75, Sell wins 61.
  expect(outcome.curve).toEqual([0, 75 - 100, 75 - 100 - 100 + 122])
  expect(outcome).toMatchObject({ won: 3, lost: 2, draws: 3, voids: 1, fall: 25 })
  expect(outcome.breakEven).toBeCloseTo(10_000 / (100 + (75 * 2 + 61 * 3) / 5))
  expect(outcomeOf({ buckets: [], spread: { closes: 0, ww: 0, wl: 0, ll: 0 } }, '75/3').breakEven).toBeCloseTo(
    10_000 / 139,
  )
})

function chain(count: number): string[] {
  let previous = Buffer.alloc(32)
  const lines = ['n,strategy,version,symbol,side,duration,candle_close,at,frame,previous,hash,status']
  for (let n = 1; n <= count; n++) {
    const text = `${n},trend,1,BTCUSDT,Buy,60,${n * 60_000},${n * 60_000 + 300},${n * 240}`
    const hash = createHash('sha256').update(previous).update(text).digest()
    lines.push(`${text},${previous.toString('hex')},${hash.toString('hex')},Won`)
    previous = hash
  }
  return lines
}

test('the browser recomputes the chain, and finds a changed, a removed and a forged row', async () => {
  const lines = chain(5)
  const check = (rows: string[]) => checkChain(`${rows.join('\r\n')}\r\n`)
  expect(await check(lines)).toBe('5 signals checked: every hash follows from the one before it.')
  expect(await check([lines[0]!, ...lines.slice(3)])).toMatch(/^3 signals checked/)
  expect(await check(lines.with(3, lines[3]!.replace('Buy', 'Sell')))).toBe(
    "Signal 3 was changed: its hash doesn't match.",
  )
  expect(await check(lines.toSpliced(3, 1))).toBe("Signal 4 doesn't follow the one before it.")
})
