import type { Sides, SignalDuration, StrategyKey, StrikeChoice } from '#contract/terms.ts'
import type { PriceListDocument } from '#contract/trading/offers.ts'
import { smaller, type Usd, usd } from '#kernel/money.ts'
import type { Rule } from '../strategies/index.ts'

/** A followed strategy. */
export interface FollowedSettings {
  /** A published strategy, or a trader's rule. */
  strategy: StrategyKey | Pick<Rule, 'body' | 'zone'>
  symbols: readonly string[]
  durationSeconds: SignalDuration
  sides: Sides
  strikeRate: StrikeChoice
  /** The stake of each trade, or its cap if `stakePercent` is set. */
  stake: Usd
  /** Stake in percent of the balance. */
  stakePercent?: number | undefined
}

/** The settings of automatic trades (`server/automatic`), and the balance to begin with. Without a limit where undefined. */
export interface BacktestSettings {
  strategies: readonly FollowedSettings[]
  /** Days are UTC days. */
  tradesADay?: number | undefined
  /** The zone of days of the week and hours; UTC if undefined. */
  timeZone?: string | undefined
  /** Days of the week, 0 is Sunday; every day if undefined. */
  days?: readonly number[] | undefined
  /** Hours: from this one, up to that one; of the next day if it's earlier. */
  fromHour?: number | undefined
  toHour?: number | undefined
  /** Largest net loss of the trades placed on a UTC day. The next day starts again. */
  lossADay?: Usd | undefined
  /** Largest net loss since the start. */
  lossInAll?: Usd | undefined
  /** After this many losses in a row, trading ends. Draws and voids don't interrupt a row. */
  lossesInRow?: number | undefined
  /** Once a UTC day's profit has reached this, nothing is traded until the next day. */
  profitADay?: Usd | undefined
  /** Once the profit since the start has reached this, trading ends. */
  profitInAll?: Usd | undefined
  /** After so many losses in a row, signals are skipped for some minutes. Then the count begins again. */
  pause?: { losses: number; minutes: number } | undefined
  startingBalance: Usd
  /** What the current price lists offer at the hour of a signal is what it's traded at. */
  priceLists: PriceListDocument
}

/** Settings of published strategies. */
export interface PublishedSettings extends BacktestSettings {
  strategies: readonly (FollowedSettings & { strategy: StrategyKey })[]
}

/** Returns the stake at this balance, as automatic trades compute it. */
export function stakeAt({ stake, stakePercent }: FollowedSettings, balance: Usd): Usd {
  return stakePercent === undefined ? stake : smaller(stake, usd((balance * BigInt(stakePercent)) / 100n))
}

/** Returns the symbols that any of the strategies trades. */
export const symbolsOf = ({ strategies }: BacktestSettings): string[] => [
  ...new Set(strategies.flatMap(({ symbols }) => symbols)),
]
