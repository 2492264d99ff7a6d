import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SOURCES } from '#contract/prices/prices.ts'
import { usd, usdToText } from '#kernel/money.ts'
import { price } from '#kernel/price.ts'
import { decide, type Receipt, type ReceiptTick, type TradeTerms } from '#packages/verify/verify.js'
import { CASE_TERMS, type CaseTick, OUTCOME_CASES } from '#tests/support/trades/outcome-cases.ts'
import { decideOutcome, type Terms, type Tick } from '../trading/index.ts'

/** The rules in TypeScript and in the verifier. `settle.property.test.ts` compares those in SQL with the same cases. */
const tickOf = ([sourceMs, units, kind = 0]: CaseTick, i: number): Tick => ({
  seq: BigInt(i + 1),
  sourceMs,
  price: price(BigInt(units)),
  kind,
})

/** What a receipt has of a trade: the prices around its entry and exit, as `receipt.ts` finds them. */
function inReceipt(terms: Terms, ticks: readonly Tick[]): { trade: TradeTerms; ticks: Receipt['ticks'] } {
  const shown = (tick: Tick | undefined): ReceiptTick | null =>
    tick
      ? {
          sequence: Number(tick.seq),
          time: tick.sourceMs,
          price: String(tick.price),
          source: SOURCES[tick.kind]!,
          frame: Number(tick.seq),
        }
      : null
  const within = (tick: Tick) => tick.sourceMs > terms.tradeTime && tick.sourceMs <= terms.endTime
  const change = ticks.find((tick) => within(tick) && tick.kind !== terms.sourceKind)
  return {
    trade: {
      ...{
        id: 'X',
        mode: 'demo',
        symbol: 'X',
        side: terms.side,
        stake: usdToText(terms.stake),
        percent: terms.percent,
      },
      ...{ trade_time: terms.tradeTime, end_time: terms.endTime, stale_after_ms: terms.staleAfterMs },
      ...{ source: SOURCES[terms.sourceKind]!, rule_version: terms.rule },
    },
    ticks: {
      before_entry: shown(ticks.findLast((tick) => tick.sourceMs <= terms.tradeTime)),
      entry: shown(ticks.find((tick) => tick.sourceMs > terms.tradeTime)),
      change: shown(change),
      exit: change ? null : shown(ticks.findLast((tick) => tick.sourceMs <= terms.endTime)),
      after_exit: change ? null : shown(ticks.find((tick) => tick.sourceMs > terms.endTime)),
    },
  }
}

const both = (terms: Terms, ticks: readonly Tick[]) => {
  const { status, payout, reason } = decideOutcome(terms, ticks)
  return [{ status, payout: usdToText(payout), reason }, decide(inReceipt(terms, ticks))] as const
}

test.each(OUTCOME_CASES)('$name', ({ side = 'Buy', stake = 1_000, percent = 75, ticks, status, payout }) => {
  const terms: Terms = { ...CASE_TERMS, side, stake: usd(BigInt(stake)), percent }
  const [rule, verifier] = both(terms, ticks.map(tickOf))
  expect(rule).toMatchObject({ status, payout: usdToText(usd(BigInt(payout))) })
  expect(verifier).toEqual(rule)
})

test('the verifier decides every trade as the rule does', () => {
  const steps = fc.array(
    fc.record({
      gap: fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.constantFrom(9_999, 10_000, 10_001, 20_000)),
      units: fc.integer({ min: 1, max: 4 }),
      kind: fc.constantFrom(0, 0, 0, 0, 0, 0, 2),
    }),
    { minLength: 1, maxLength: 40 },
  )
  const seen = new Set<string>()
  fc.assert(
    fc.property(
      steps,
      fc.record({
        side: fc.constantFrom('Buy' as const, 'Sell' as const),
        tradeTime: fc.integer({ min: 1, max: 40_000 }),
        length: fc.integer({ min: 11_000, max: 60_000 }),
        staleAfterMs: fc.constantFrom(1_000, 10_000, 20_000),
        stake: fc.integer({ min: 100, max: 100_000 }),
        percent: fc.integer({ min: 1, max: 100 }),
      }),
      (made, { length, stake, ...rest }) => {
        const terms: Terms = {
          ...rest,
          stake: usd(BigInt(stake)),
          endTime: rest.tradeTime + length,
          sourceKind: 0,
          rule: 'FT-1',
        }
        let at = 0
        const ticks = made.map(({ gap, units, kind }, i) => {
          at += gap
          return tickOf([at, units, kind], i)
        })
        // A receipt needs a price after the end.
        ticks.push(tickOf([Math.max(at, terms.endTime) + 1, 1], ticks.length))
        const [rule, verifier] = both(terms, ticks)
        expect(verifier).toEqual(rule)
        seen.add(rule.reason)
      },
    ),
    { numRuns: 5_000 },
  )
  expect(seen.size, 'every reason occurs').toBe(6)
})
