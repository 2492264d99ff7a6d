import { percentOf, type StrategyKey, type StrikeRate, strikeRateFor, type TradeSide } from '#contract/terms.ts'
import { pairsAt } from '#contract/trading/offers.ts'
import { must } from '#kernel/must.ts'
import { price } from '#kernel/price.ts'
import { MINUTE_MS, type Ms, SECOND_MS } from '#kernel/time.ts'
import { type Decider, placeOf, strategyOf, strategyOfRule } from '../strategies/index.ts'
import { decideOutcome, type Outcome, RULE_VERSION, type Terms } from '../trading/trade.ts'
import { candleAt, closedCandles, type Market } from './candles.ts'
import type { BacktestSettings, FollowedSettings } from './settings.ts'

/** A signal of the strategy, and the prices of the trade that follows it. */
export interface Signal {
  /** The followed strategy that it is of. */
  followed: FollowedSettings
  /** When its candle closed. */
  time: Ms
  symbol: string
  side: TradeSide
  strikeRate: StrikeRate
  /** Profit of a winning trade, percent of the stake. */
  percent: number
  /** Whether the price lists offer these odds there and then. */
  isOffered: boolean
  endTime: Ms
  /**
   * First price a second after the close, in units: when a real trade that follows it enters. The open of the next
   * minute where that isn't known; undefined without a price.
   */
  entry: number | undefined
  /** Last price a second after the duration, in units; the close of its last minute where that isn't known. */
  exit: number | undefined
}

/** The times that a back-test covers: trades are placed from `from`, and have ended by `to`. */
export interface Range {
  from: Ms
  to: Ms
}

/** A rule that is tried has no number yet. */
const DRAFT = 'own-0'

/** Returns the strategy of the settings, and what orders its signals of one moment. */
function deciderOf({ strategy, durationSeconds }: FollowedSettings): Decider & { key: StrategyKey } {
  if (typeof strategy === 'string') return { key: strategy, ...strategyOf(strategy) }
  return { key: DRAFT, ...strategyOfRule({ ...strategy, durationSeconds }) }
}

/**
 * Returns how much before a range the minutes should begin, so that its first signals see full windows: twice the
 * window, because periods without ticks have no candle.
 */
export const warmUpMs = ({ strategies }: BacktestSettings): Ms =>
  Math.max(...strategies.map((one) => 2 * deciderOf(one).needs * one.durationSeconds * SECOND_MS))

/**
 * Returns the signals of all strategies and symbols whose trades lie in the range, in the order in which they would be
 * traded: of one moment, those of the first strategy come first.
 */
export function signalsOf(settings: BacktestSettings, markets: readonly Market[], range: Range): Signal[] {
  return settings.strategies
    .flatMap((followed, at) => placedSignals(settings, followed, markets, range).map((placed) => ({ ...placed, at })))
    .sort((a, b) => a.signal.time - b.signal.time || a.at - b.at || (a.place < b.place ? -1 : 1))
    .map(({ signal }) => signal)
}

/** Returns the signals of a strategy, each with its place among those of its moment. */
function placedSignals(
  { priceLists }: BacktestSettings,
  followed: FollowedSettings,
  markets: readonly Market[],
  { from, to }: Range,
): { signal: Signal; place: string }[] {
  const { symbols, durationSeconds } = followed
  const strategy = deciderOf(followed)
  const durationMs = durationSeconds * SECOND_MS
  return symbols.flatMap((symbol) => {
    const { symbolId, scale, tradingType, minutes } = must(markets.find((market) => market.symbol === symbol))
    const candles = closedCandles(minutes, durationMs, to)
    return candles.flatMap((candle, at): { signal: Signal; place: string }[] => {
      const time = candle.time + durationMs
      const endTime = time + durationMs
      if (time < from || endTime > to) return []
      const side = strategy.decide(candles.slice(Math.max(0, at + 1 - strategy.needs), at + 1), {
        symbol,
        scale,
        durationSeconds,
      })
      if (!side) return []
      const offered = pairsAt(priceLists, { symbol, tradingType, duration: durationSeconds }, time)
      const strikeRate = strikeRateFor(followed.strikeRate, side, offered)
      const percent = percentOf(strikeRate, side)
      const first = candleAt(minutes, time)
      const entry = first?.entry === undefined ? first?.open : first.entry || undefined
      const exit = candleAt(minutes, endTime)?.exit || candleAt(minutes, endTime - MINUTE_MS)?.close
      const place = placeOf({ strategy: strategy.key, symbolId, durationSeconds, candleClose: time })
      const isOffered = offered.includes(strikeRate)
      return [{ signal: { followed, time, symbol, side, strikeRate, percent, isOffered, endTime, entry, exit }, place }]
    })
  })
}

/**
 * Decides a signal's trade by the rule of real trades (FT-1), as far as candles allow. A candle doesn't show when its
 * ticks came: its open counts as the first tick after the trade, its close as a fresh tick at the end. A minute without
 * ticks makes the trade void.
 */
export function outcomeOf({ side, percent, time, endTime, entry, exit }: Signal, stake: Terms['stake']): Outcome {
  const tickAt = (sourceMs: Ms, units: number | undefined, seq: bigint) =>
    units === undefined ? [] : [{ seq, sourceMs, price: price(BigInt(units)), kind: 0 }]
  return decideOutcome(
    { side, stake, percent, tradeTime: time, endTime, staleAfterMs: 0, sourceKind: 0, rule: RULE_VERSION },
    // Without an entry, the exit would be taken for it only within the 10 s in which an entry may come.
    entry === undefined ? [] : [...tickAt(time + 1, entry, 1n), ...tickAt(endTime, exit, 2n)],
  )
}
