import { ALERT_INTERVALS, type AlertDirection, type AlertIndicator } from '#contract/trading/alerts.ts'
import { indicatorOf, type Values } from '#kernel/indicators/list.ts'
import { type Candle, newestOf, type Series } from '#kernel/indicators/series.ts'
import { must } from '#kernel/must.ts'
import { floatOfPrice } from '#kernel/price.ts'
import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import type { Instrument, Tape } from '../prices/index.ts'
import type { IndicatorAlert, JudgedTick } from './terms.ts'

/** Candles in memory: at most a day of the shortest. */
const CANDLES = 1_500

type Priced = Pick<Instrument, 'symbol' | 'scale'>
type CandleTape = Pick<Tape, 'closedCandles' | 'ticks' | 'provenUntil'>

/** Alerts on the same line of the same indicator share its computation. */
interface Group {
  terms: AlertIndicator
  series: Series<Candle, Values>
  /** The end of the newest candle that it has seen. */
  seen: Ms
  newest: number | undefined
  alerts: IndicatorAlert[]
}

type FireIndicator = (alert: IndicatorAlert, tick: JudgedTick, value: number) => void

/** The armed alerts on indicators of a symbol, judged when the tape has proven a candle's end. */
export class IndicatorCrossings {
  readonly #tape: CandleTape
  readonly #of: Priced
  readonly #groups = new Map<string, Group>()
  /** All closed candles of each length: read once for all groups. */
  readonly #candles = new Map<number, { until: Ms; list: readonly Candle[] }>()
  #advanced: Ms

  /** `from`: candles that closed up to here were judged. */
  constructor(tape: CandleTape, of: Priced, from: Ms) {
    this.#tape = tape
    this.#of = of
    this.#advanced = from
  }

  /** Candles that have closed by now don't fire it. */
  add(alert: IndicatorAlert): void {
    const terms = alert.indicator
    const key = JSON.stringify([terms.id, terms.inputs, terms.output, terms.interval])
    let group = this.#groups.get(key)
    if (!group) {
      group = this.#open(terms)
      this.#groups.set(key, group)
    }
    group.alerts.push(alert)
  }

  /** Judges the candles that have closed. Returns whether there may have been any. */
  advance(fire: FireIndicator): boolean {
    const close = startOf(this.#tape.provenUntil(this.#of.symbol) + 1, MINUTE_MS)
    if (close <= this.#advanced) return false
    this.#advanced = close
    if (this.#groups.size === 0) return false
    for (const [key, group] of this.#groups) {
      if (close - group.seen >= ALERT_INTERVALS[group.terms.interval]) this.#judge(group, fire)
      if (group.alerts.length === 0) this.#groups.delete(key)
    }
    return true
  }

  #open(terms: AlertIndicator): Group {
    const series = must(indicatorOf(terms.id)).start(terms.inputs)
    const group: Group = { terms, series, seen: 0, newest: undefined, alerts: [] }
    const intervalMs = ALERT_INTERVALS[terms.interval]
    for (const candle of this.#candlesOf(intervalMs))
      if (candle.time + intervalMs <= this.#advanced) step(group, candle)
    return group
  }

  #judge(group: Group, fire: FireIndicator): void {
    const intervalMs = ALERT_INTERVALS[group.terms.interval]
    const all = this.#candlesOf(intervalMs)
    const { seen } = group
    const next = all.findLastIndex(({ time }) => time + intervalMs <= seen) + 1
    for (const candle of all.slice(next)) {
      const before = group.newest
      step(group, candle)
      const after = group.newest
      if (before === undefined || after === undefined) continue
      const crossing = group.alerts.filter(
        (alert) =>
          !alert.gone && group.seen > alert.baseMs && crosses(alert.direction, before, after, alert.indicator.level),
      )
      if (crossing.length === 0) continue
      const tick = this.#lastTick(candle.time, group.seen)
      // The tick of an older candle may be gone from memory.
      if (tick) for (const alert of crossing) fire(alert, tick, after)
      group.alerts = group.alerts.filter(({ gone }) => !gone)
    }
  }

  #candlesOf(intervalMs: number): readonly Candle[] {
    const until = startOf(this.#tape.provenUntil(this.#of.symbol) + 1, intervalMs)
    let read = this.#candles.get(intervalMs)
    if (read?.until !== until) {
      read = { until, list: closedCandles(this.#tape, this.#of, intervalMs) }
      this.#candles.set(intervalMs, read)
    }
    return read.list
  }

  #lastTick(start: Ms, end: Ms): JudgedTick | undefined {
    let last: JudgedTick | undefined
    this.#tape.ticks(this.#of.symbol, start, end - 1, (seq, sourceMs, units) => {
      last = { seq, sourceMs, units }
    })
    return last
  }
}

function step(group: Group, candle: Candle): void {
  group.newest = group.series(candle)?.[group.terms.output]
  group.seen = candle.time + ALERT_INTERVALS[group.terms.interval]
}

/** Whether a value crossed a level from one candle to the next. */
const crosses = (direction: AlertDirection, before: number, after: number, level: number): boolean =>
  (direction !== 'down' && before < level && after >= level) || (direction !== 'up' && before > level && after <= level)

function closedCandles(tape: CandleTape, { symbol, scale }: Priced, intervalMs: number): Candle[] {
  const float = (units: number) => floatOfPrice(units, scale)
  return tape
    .closedCandles(symbol, intervalMs, CANDLES, tape.provenUntil(symbol) + 1)
    .map(([time, open, high, low, close]) => ({
      time,
      open: float(open),
      high: float(high),
      low: float(low),
      close: float(close),
    }))
}

/** Returns an indicator's value on the newest closed candle; undefined without enough of them. */
export function currentValue(
  tape: CandleTape,
  instrument: Priced,
  { id, inputs, output, interval }: AlertIndicator,
): number | undefined {
  const series = must(indicatorOf(id)).start(inputs)
  return newestOf(series, closedCandles(tape, instrument, ALERT_INTERVALS[interval]))?.[output]
}
