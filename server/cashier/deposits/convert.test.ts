import fc from 'fast-check'
import { expect, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { price } from '#kernel/price.ts'
import { property } from '#tests/support/property.ts'
import { coinsFor, rateOf, rateText } from './convert.ts'

const rate = (units: bigint, scale: number) => ({ price: price(units), scale, time: 0 })

test.each([
  [10_000n, 6_183_763n, 2, '0.00161714'],
  [100n, 1n, 0, '1.00000000'],
  [100n, 300n, 2, '0.33333333'],
  [200n, 300n, 2, '0.66666667'],
  [100n, 10_000_000_000n, 2, '0.00000001'],
  [100n, 20_000_000_000n, 2, '0.00000001'],
  [100n, 20_000_000_001n, 2, '0.00000000'],
])('%d cents at %d / 10^%d are %s coins', (cents, units, scale, coins) => {
  expect(coinsFor(usd(cents), rate(units, scale))).toBe(coins)
})

property(
  'rounds coins to the nearest 8 decimals, at most half a unit off',
  20_000,
  [fc.bigInt(100n, 10n ** 14n), fc.bigInt(1n, 10n ** 12n), fc.integer({ min: 0, max: 8 })],
  (cents, units, scale) => {
    const coins = BigInt(coinsFor(usd(cents), rate(units, scale)).replace('.', ''))
    // coins / 10^8 x units / 10^scale = cents / 100, within half the smallest unit of the coin.
    const exact = cents * 10n ** BigInt(scale + 6)
    const difference = coins * units - exact
    expect(2n * (difference < 0n ? -difference : difference) <= units).toBe(true)
  },
)

test('returns 503 for a stale or missing price', () => {
  const tick = { symbol: 'BTCUSD', symbolId: 1, price: price(5n), scale: 0, sourceMs: 7, seq: 1, kind: 0 }
  expect(rateOf({ status: () => ({ status: 'open' }), latest: () => tick }, 'BTC')).toEqual({
    price: 5n,
    scale: 0,
    time: 7,
  })
  for (const tape of [
    { status: () => ({ status: 'stale' as const }), latest: () => tick },
    { status: () => ({ status: 'unavailable' as const }), latest: () => tick },
    { status: () => ({ status: 'open' as const }), latest: () => undefined },
  ])
    expect(() => rateOf(tape, 'BTC')).toThrow(expect.objectContaining({ code: 'price_unavailable', httpStatus: 503 }))
  expect(rateText(rate(6_183_763n, 2))).toBe('61837.63')
})
