import type { TradeSide } from '#contract/trading/trading.ts'
import type { Terms } from '#server/trading/trade.ts'

/** A price: when it was current, in units of its last digit, and its kind of source. */
export type CaseTick = readonly [sourceMs: number, units: number, kind?: number]

export interface OutcomeCase {
  name: string
  side?: TradeSide
  /** Cents. */
  stake?: number
  percent?: number
  ticks: readonly CaseTick[]
  status: 'Won' | 'Lost' | 'Draw' | 'Void'
  /** Cents. */
  payout: number
}

/** The terms of every case that don't differ: a trade of a minute on live prices, at 100,000. */
export const CASE_TERMS = {
  tradeTime: 100_000,
  endTime: 160_000,
  staleAfterMs: 10_000,
  sourceKind: 0,
  rule: 'FT-1',
} satisfies Partial<Terms>

/** What rule FT-1 gives at its limits, in TypeScript, in SQL and in the verifier. Prices begin before the trade. */
export const OUTCOME_CASES: readonly OutcomeCase[] = [
  {
    name: 'a Buy below the exit wins',
    ticks: [
      [99_000, 9],
      [101_000, 10],
      [159_000, 11],
      [161_000, 1],
    ],
    status: 'Won',
    payout: 1_750,
  },
  {
    name: 'a Buy above the exit loses',
    ticks: [
      [99_000, 9],
      [101_000, 10],
      [159_000, 9],
      [161_000, 99],
    ],
    status: 'Lost',
    payout: 0,
  },
  {
    name: 'a Sell above the exit wins',
    side: 'Sell',
    ticks: [
      [99_000, 9],
      [101_000, 10],
      [159_000, 9],
      [161_000, 99],
    ],
    status: 'Won',
    payout: 1_750,
  },
  {
    name: 'a Sell below the exit loses',
    side: 'Sell',
    ticks: [
      [99_000, 9],
      [101_000, 10],
      [159_000, 11],
      [161_000, 1],
    ],
    status: 'Lost',
    payout: 0,
  },
  {
    name: 'equal prices return the stake',
    ticks: [
      [99_000, 9],
      [101_000, 10],
      [159_000, 10],
      [161_000, 1],
    ],
    status: 'Draw',
    payout: 1_000,
  },
  {
    name: 'half a cent of profit is rounded up',
    stake: 1_010,
    percent: 5,
    ticks: [
      [99_000, 9],
      [101_000, 10],
      [159_000, 11],
      [161_000, 1],
    ],
    status: 'Won',
    payout: 1_061,
  },
  {
    name: 'less than half a cent is dropped',
    stake: 1_009,
    percent: 5,
    ticks: [
      [99_000, 9],
      [101_000, 10],
      [159_000, 11],
      [161_000, 1],
    ],
    status: 'Won',
    payout: 1_059,
  },
  {
    name: 'a price at the time of the trade is no entry',
    ticks: [
      [100_000, 5],
      [101_000, 10],
      [159_000, 9],
      [161_000, 1],
    ],
    status: 'Lost',
    payout: 0,
  },
  {
    name: 'a price at the end is the exit',
    ticks: [
      [99_000, 9],
      [101_000, 10],
      [160_000, 11],
      [160_001, 1],
    ],
    status: 'Won',
    payout: 1_750,
  },
  {
    name: 'an entry after ten seconds counts',
    ticks: [
      [99_000, 9],
      [110_000, 10],
      [159_000, 11],
      [161_000, 1],
    ],
    status: 'Won',
    payout: 1_750,
  },
  {
    name: 'a millisecond later it does not',
    ticks: [
      [99_000, 9],
      [110_001, 10],
      [159_000, 11],
      [161_000, 1],
    ],
    status: 'Void',
    payout: 1_000,
  },
  {
    name: 'an exit as old as it may be counts',
    ticks: [
      [99_000, 9],
      [101_000, 10],
      [150_000, 11],
      [161_000, 1],
    ],
    status: 'Won',
    payout: 1_750,
  },
  {
    name: 'a millisecond older it does not',
    ticks: [
      [99_000, 9],
      [101_000, 10],
      [149_999, 11],
      [161_000, 1],
    ],
    status: 'Void',
    payout: 1_000,
  },
  {
    name: 'the entry is no exit',
    ticks: [
      [99_000, 9],
      [101_000, 10],
      [161_000, 11],
    ],
    status: 'Void',
    payout: 1_000,
  },
  {
    name: 'another source in between returns the stake',
    ticks: [
      [99_000, 9],
      [101_000, 10],
      [130_000, 10, 2],
      [159_000, 11, 2],
      [161_000, 1, 2],
    ],
    status: 'Void',
    payout: 1_000,
  },
  {
    name: 'another source at the entry does too',
    ticks: [
      [99_000, 9],
      [101_000, 10, 1],
      [159_000, 11, 1],
      [161_000, 1, 1],
    ],
    status: 'Void',
    payout: 1_000,
  },
  {
    name: 'another source after the end does not',
    ticks: [
      [99_000, 9],
      [101_000, 10],
      [159_000, 11],
      [160_001, 1, 2],
    ],
    status: 'Won',
    payout: 1_750,
  },
]
