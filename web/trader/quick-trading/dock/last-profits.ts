import type { Trade } from '#web/api/index.ts'

interface Settled {
  id: string
  /** Settlement time, ISO. */
  time: string
}

/** Sorts by settlement, newest first. Trades settled in the same millisecond are sorted by placement, latest first. */
export const newestFirst = <T extends Settled>(rows: readonly T[]): T[] =>
  [...rows].sort((a, b) => compare(b.time, a.time) || compare(b.id, a.id))

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Whether a trade brought a profit, as in the server's list of profits: won, or sold for more than its stake. */
export const isProfit = ({ status, payout, stake }: Pick<Trade, 'status' | 'payout' | 'stake'>): boolean =>
  (status === 'Won' || status === 'Sold') && (payout ?? 0) > stake
