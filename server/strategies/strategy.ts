import type { StrategyId, TradeSide } from '#contract/terms.ts'
import type { Ms } from '#kernel/time.ts'

/** A closed candle; its prices are integers at the symbol's scale. */
export interface Candle {
  /** The start of its period. */
  time: Ms
  open: number
  high: number
  low: number
  close: number
}

/** What a decision is about. */
interface Subject {
  symbol: string
  /** Decimal places of its prices. */
  scale: number
  /** Length of the candles, and of the trade that a signal suggests. */
  durationSeconds: number
}

/** A published rule that says Buy, Sell or nothing when a candle closes. */
export interface Strategy {
  id: StrategyId
  /** A change to the rule or its parameters is a new version; statistics count each version separately. */
  version: number
  name: string
  /** The rule in plain English, as screens show it. */
  rule: string
  parameters: Readonly<Record<string, number>>
  /** Number of closed candles that a decision looks at. */
  needs: number
  /**
   * Decides by the newest `needs` candles, given oldest first and up to the one that has just closed. Older ones change
   * nothing; with fewer there is no signal. Periods without ticks have no candle: the ones before them move up.
   */
  decide(candles: readonly Candle[], about: Subject): TradeSide | undefined
}

/** Makes a strategy whose rule sees exactly `needs` candles, however many are given. */
export function fixedWindow(strategy: Strategy): Strategy {
  const { needs, decide } = strategy
  return {
    ...strategy,
    decide: (candles, about) =>
      candles.length < needs
        ? undefined
        : decide(candles.length === needs ? candles : candles.slice(candles.length - needs), about),
  }
}
