import { breakEvenRate, measuredSentence } from '#contract/prices/measured.ts'
import { TRADE_SIDES, type TradeSide } from '#contract/terms.ts'
import type { FollowedStrategy } from '#contract/trading/automatic.ts'
import { leastPercent } from '#contract/trading/offers.ts'
import { last } from '#kernel/must.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import { outcomesOf } from '../signals/index.ts'
import type { AutomaticDeps } from './deps.ts'
import { followable } from './followable.ts'

/**
 * How the measured sentence is computed; a trader's confirmation of it holds for this method only. 1 counted signals, 2 counts
 * candle closes.
 */
export const MEASURING_METHOD = 2

/** The settings that decide which signals are followed, and their payout. */
export type Followed = Pick<FollowedStrategy, 'strategy' | 'duration' | 'sides' | 'strike_rate'>

/** Describes the results of each followed strategy, with its name if there are several. */
export async function measuredTexts(
  deps: Pick<AutomaticDeps, 'tape' | 'priceLists'>,
  db: Db | Tx,
  userId: bigint,
  followed: readonly Followed[],
): Promise<string[]> {
  const texts: string[] = []
  const known = await followable(
    db,
    userId,
    followed.map(({ strategy }) => strategy),
  )
  for (const one of followed) {
    const strategy = known.get(one.strategy)
    const text = strategy ? await measuredText(deps, db, strategy.version, one) : 'no longer offered'
    const name = strategy?.name ?? "A trader's strategy"
    texts.push(followed.length === 1 && strategy ? text : `${name}, ${one.duration / 60} min: ${text}`)
  }
  return texts
}

/** Describes the results of the signals that these settings would follow, and the hit rate needed to break even. */
export async function measuredText(
  deps: Pick<AutomaticDeps, 'tape' | 'priceLists'>,
  db: Db | Tx,
  version: number,
  { strategy, duration, sides, strike_rate }: Followed,
): Promise<string> {
  const outcomes = await outcomesOf(db, {
    strategy,
    version,
    durationSeconds: duration,
    sourceKind: deps.tape.kindNow(),
  })
  const followed = TRADE_SIDES.filter((side) => sides === 'both' || sides === side)
  // Where lists differ by hours or symbols, the one that pays least: the rate that is needed is never said too low.
  const { document } = last(deps.priceLists.versions())
  const profit = (side: TradeSide) => leastPercent(document, { symbols: [], duration }, { choice: strike_rate, side })
  const tally = outcomes[sides]
  const decided = tally.won + tally.lost
  const profits = followed.reduce((sum, side) => sum + profit(side) * (outcomes[side].won + outcomes[side].lost), 0)
  const mean = decided > 0 ? profits / decided : followed.reduce((sum, side) => sum + profit(side), 0) / followed.length
  return measuredSentence(tally, breakEvenRate(mean))
}
