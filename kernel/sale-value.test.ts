import fc from 'fast-check'
import { expect, test } from 'vitest'
import { property } from '#tests/support/property.ts'
import { draws } from '#tests/support/random.ts'
import { isSaleTime, SALE_RULE, type SaleTerms, saleFee, saleValue, varianceMinute, varianceOf } from './sale-value.ts'
import { MINUTE_MS } from './time.ts'

const START = 1_790_000_000_000
const RUNS = 20_000

const scene = fc.record({
  side: fc.constantFrom('Buy' as const, 'Sell' as const),
  payout: fc.bigInt({ min: 101n, max: 2_000_000n }),
  entry: fc.oneof(fc.bigInt({ min: 1n, max: 500n }), fc.bigInt({ min: 10_000n, max: 10n ** 12n })),
  /** How far the price is from the entry, in millionths. */
  moved: fc.oneof(fc.integer({ min: -300, max: 300 }), fc.integer({ min: -400_000, max: 400_000 })),
  left: fc.oneof(fc.integer({ min: 1, max: 60_000 }), fc.integer({ min: 1, max: 86_400_000 })),
  variance: fc.oneof(
    fc.integer({ min: 0, max: 10 ** 13 }),
    fc.integer({ min: 0, max: 9_000_000_000_000_000 }),
    fc.constant(0),
  ),
})

type Scene = typeof scene extends fc.Arbitrary<infer T> ? T : never

function sceneOf({ side, payout, entry, moved, left, variance }: Scene) {
  const terms: SaleTerms = { rule: SALE_RULE, side, payout, tradeTime: START - 1, endTime: START + left, entry }
  const shifted = entry + (entry * BigInt(moved)) / 1_000_000n
  const price = shifted > 0n ? shifted : 1n
  return { terms, price, left, variance, value: saleValue(terms, price, START, variance) }
}

property('a trade is worth at least nothing and at most its payout less the fee', RUNS, [scene], (random) => {
  const { terms, value } = sceneOf(random)
  expect(value >= 0n && value <= terms.payout - saleFee(terms)).toBe(true)
})

property(
  'a better price is never worth less',
  RUNS,
  [scene, fc.bigInt({ min: 1n, max: 10n ** 9n })],
  (random, more) => {
    const { terms, price, variance, value } = sceneOf(random)
    const better = terms.side === 'Buy' ? price + more : price - more
    if (better > 0n) expect(saleValue(terms, better, START, variance) >= value).toBe(true)
  },
)

property('at the end, a trade is worth its payout or nothing, less the fee', RUNS, [scene], (random) => {
  const { terms, price } = sceneOf(random)
  const value = saleValue({ ...terms, endTime: START + 1 }, price, START, 0)
  const ahead = terms.side === 'Buy' ? price - terms.entry : terms.entry - price
  // Seven deviations of the least that prices are taken to move in a millisecond.
  if (ahead * 1_000_000n > 4n * price) expect(value).toBe(terms.payout - saleFee(terms))
  if (-ahead * 1_000_000n > 4n * price) expect(value).toBe(0n)
})

/** The chance below `x`, by numerical integration. */
function normal(x: number): number {
  const steps = 4_000
  const width = Math.min(8, Math.abs(x)) / steps
  let area = 0
  for (let i = 0; i < steps; i++) area += Math.exp(-0.5 * ((i + 0.5) * width) ** 2) * width
  return 0.5 + (Math.sign(x) * area) / Math.sqrt(2 * Math.PI)
}

property('it is the payout times its chance under the normal distribution', 2_000, [scene], (random) => {
  const { terms, price, left, variance, value } = sceneOf(random)
  const { side, entry, payout } = terms
  const floor = Math.max(1e-4, Math.trunc(2e9 / Number(price)) / 1e9)
  const deviation = Math.min(Math.max(Math.sqrt(variance) / 1e9, floor), Math.max(0.03, floor))
  const ahead = Number(side === 'Buy' ? price - entry : entry - price)
  const chance = normal(ahead / (Number(price) * deviation * Math.sqrt(left / MINUTE_MS)))
  const fair = Number(payout) * chance - Number(saleFee(terms))
  expect(Math.abs(Number(value) - Math.max(0, fair))).toBeLessThan(1.1 + Number(payout) * 3e-7)
})

/** Returns the prices that are worth less than the next worse one. */
function pricesOfFall(values: ReadonlyMap<number, bigint>, side: 'Buy' | 'Sell'): number[] {
  const better = [...values].sort(([a], [b]) => (side === 'Buy' ? a - b : b - a))
  return better.flatMap(([price, value], i) => (value < (better[i - 1]?.[1] ?? value) ? [price] : []))
}

test('on a random walk, to sell at any time and to hold bring the same, less the fee, within bounds and by price', () => {
  const { normal: drawn } = draws(37)
  const entry = 6_000_000
  const deviation = 0.0008
  const variance = (deviation * 1e9) ** 2
  const terms = {
    rule: SALE_RULE,
    payout: 17_500n,
    tradeTime: START,
    endTime: START + 5 * MINUTE_MS,
    entry: BigInt(entry),
  }
  const fee = Number(saleFee(terms))
  const most = terms.payout - saleFee(terms)
  const paths = 200_000
  for (const side of ['Buy', 'Sell'] as const)
    for (const minutes of [0.5, 2, 4.5]) {
      let [difference, squares] = [0, 0]
      const values = new Map<number, bigint>()
      for (let i = 0; i < paths; i++) {
        const sold = entry * (1 + deviation * Math.sqrt(minutes) * drawn())
        const ended = sold * (1 + deviation * Math.sqrt(5 - minutes) * drawn())
        const price = Math.round(sold)
        const value = saleValue({ ...terms, side }, BigInt(price), START + minutes * MINUTE_MS, variance)
        if (value < 0n || value > most) expect.fail(`at ${price} it is worth ${value}`)
        values.set(price, value)
        // Where the fee takes it all, selling brings nothing, and nobody sells.
        if (value === 0n) continue
        const held = ended > entry === (side === 'Buy') ? 17_500 : 0
        const less = Number(value) + fee - held
        difference += less
        squares += less * less
      }
      const mean = difference / paths
      expect(Math.abs(mean)).toBeLessThan(4 * Math.sqrt(squares / paths / paths) + 1)
      expect(values.size, 'prices of the paths').toBeGreaterThan(10_000)
      expect(pricesOfFall(values, side), 'no better price is worth less').toEqual([])
    }
}, 60_000)

test('a variance needs thirty closes, and is the mean of the squared returns', () => {
  const closes = Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? 1_000_000 : 1_001_000))
  expect(varianceOf(closes.slice(1))).toBeUndefined()
  // 0.1% up and 0.0999% down, in billionths.
  expect(varianceOf(closes)).toBe(Number((15n * 1_000_000n ** 2n + 14n * 999_000n ** 2n) / 29n))
  expect(varianceOf(closes.map(() => 5))).toBe(0)
  expect(varianceOf(closes.map((_, i) => 1 + (i % 2) * 10 ** 12))).toBe(9_000_000_000_000_000)
})

test('a minute counts once no price of it can come any more', () => {
  expect(varianceMinute(START - (START % MINUTE_MS) + 3_000)).toBe(START - (START % MINUTE_MS) - MINUTE_MS)
  expect(varianceMinute(START - (START % MINUTE_MS) + 3_001)).toBe(START - (START % MINUTE_MS))
})

test('is not for sale in the first and last ten seconds', () => {
  const terms = { rule: SALE_RULE, tradeTime: START, endTime: START + MINUTE_MS }
  expect([9_999, 10_000, 50_000, 50_001].map((at) => isSaleTime(terms, START + at))).toEqual([false, true, true, false])
})

test('the fee is four percent of the payout, rounded up', () => {
  expect(saleFee({ rule: SALE_RULE, payout: 17_500n })).toBe(700n)
  expect(saleFee({ rule: SALE_RULE, payout: 17_501n })).toBe(701n)
})
