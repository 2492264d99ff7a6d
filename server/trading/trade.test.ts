import { expect, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { price } from '#kernel/price.ts'
import {
  decideOutcome,
  isVoidedByOperators,
  REASON,
  RULE_VERSION,
  type Terms,
  type Tick,
  voidedReason,
} from './trade.ts'

const TERMS: Terms = {
  side: 'Buy',
  stake: usd(1_000n),
  percent: 75,
  tradeTime: 100_000,
  endTime: 160_000,
  staleAfterMs: 10_000,
  sourceKind: 0,
  rule: RULE_VERSION,
}
const tick = (sourceMs: number, units: bigint, seq = BigInt(sourceMs)): Tick => ({
  seq,
  sourceMs,
  price: price(units),
  kind: 0,
})
const entry = tick(101_000, 50n)

test('an exit as old as a price may be counts, and one that is a millisecond older does not', () => {
  expect(decideOutcome(TERMS, [entry, tick(150_000, 51n)])).toMatchObject({ status: 'Won', payout: 1_750n })
  expect(decideOutcome(TERMS, [entry, tick(149_999, 51n)])).toMatchObject({ status: 'Void', reason: REASON.noExit })
})

test('an entry ten seconds after the trade counts, and one that is a millisecond later does not', () => {
  const late = tick(110_000, 50n)
  expect(decideOutcome(TERMS, [late, tick(155_000, 49n)])).toMatchObject({ status: 'Lost', entry: late })
  expect(decideOutcome(TERMS, [tick(110_001, 50n), tick(155_000, 49n)])).toEqual({
    ...{ status: 'Void', payout: 1_000n, reason: REASON.noEntry },
  })
})

test("operators' void returns the stake whatever the prices say, with the entry if there was one by then", () => {
  const ticks = [entry, tick(155_000, 51n)]
  const reason = 'An operator voided this trade and returned the stake: A wrong price.'
  const before = decideOutcome(TERMS, ticks, { reason: 'A wrong price.', entered: false })
  expect(before).toEqual({ status: 'Void', payout: 1_000n, reason })
  const after = decideOutcome(TERMS, ticks, { reason: 'A wrong price.', entered: true })
  expect(after).toEqual({ status: 'Void', payout: 1_000n, reason, entry })
  expect(decideOutcome(TERMS, [], { reason: 'A wrong price.', entered: true })).toEqual(before)
})

test('the reason of a void shows who decided', () => {
  expect(isVoidedByOperators(voidedReason('A wrong price.'))).toBe(true)
  for (const reason of Object.values(REASON)) expect(isVoidedByOperators(reason)).toBe(false)
  expect(RULE_VERSION, 'receipts, the public verifier and the database name it').toBe('FT-1')
})
