import fc from 'fast-check'
import { expect } from 'vitest'
import { SALE_RULE, type SaleTerms, saleFee, saleValue, varianceMinute } from '#kernel/sale-value.ts'
import { feeOf, varianceMinute as minuteOfVerifier, worth } from '#packages/verify/sale.js'
import { property } from '#tests/support/property.ts'

const START = 1_790_000_000_000

property(
  'the verifier values a trade to the same cent',
  20_000,
  [
    fc.constantFrom('Buy' as const, 'Sell' as const),
    fc.bigInt({ min: 101n, max: 2_000_000n }),
    fc.oneof(fc.bigInt({ min: 1n, max: 500n }), fc.bigInt({ min: 10_000n, max: 10n ** 12n })),
    /** How far the price is from the entry, in millionths. */
    fc.oneof(fc.integer({ min: -300, max: 300 }), fc.integer({ min: -400_000, max: 400_000 })),
    fc.oneof(fc.integer({ min: 1, max: 60_000 }), fc.integer({ min: 1, max: 86_400_000 })),
    fc.oneof(fc.integer({ min: 0, max: 10 ** 13 }), fc.integer({ min: 0, max: 9_000_000_000_000_000 })),
  ],
  (side, payout, entry, moved, left, variance) => {
    const terms: SaleTerms = { rule: SALE_RULE, side, payout, tradeTime: START - 1, endTime: START + left, entry }
    const shifted = entry + (entry * BigInt(moved)) / 1_000_000n
    const price = shifted > 0n ? shifted : 1n
    expect(worth({ ...terms, price, left, variance })).toBe(saleValue(terms, price, START, variance))
    expect(feeOf(terms.rule, terms.payout)).toBe(saleFee(terms))
    expect(minuteOfVerifier(START + left)).toBe(varianceMinute(START + left))
  },
)
