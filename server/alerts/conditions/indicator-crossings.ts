import { ALERT_INTERVALS } from '#contract/terms.ts'
import type { AlertDirection, AlertIndicator } from '#contract/trading/alerts.ts'
import { indicatorOf, type Values } from '#kernel/indicators/list.ts'
import { type Candle, newestOf, type Series } from '#kernel/indicators/series.ts'
import { must } from '#kernel/must.ts'
import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import type { Instrument, Prices, Tape } from '../../prices/index.ts'
import { type CandlesUntil, type ClosedCandles, readCandles } from './closed-candles.ts'
import type { IndicatorAlert, JudgedTick } from './terms.ts'

type Priced = Pick<Instrument, 'symbol' | 'scale'>
type CandleTape = Pick<Tape, 'ticks' | 'provenUntil'>

/** For so long after its close, a candle that isn't read holds back the time up to which all is judged. */
const HELD_BACK_MS = 10 * MINUTE_MS

/** Alerts on the same line of the same indicator share its computation. */
interface Group {
  terms: AlertIndicator
  series: Series<Candle, Values>
  /** When the period began whose candles it has seen; undefined before the first. */
  since: Ms | undefined
  /** Candles that closed up to here are judged, or were before it was added. */
  seen: Ms
  newest: number | undefined
  alerts: IndicatorAlert[]
}

type FireIndicator = (alert: IndicatorAlert, tick: JudgedTick, value: number) => void

/** The armed alerts on indicators of a symbol, judged when the tape has proven a candle's end. */
export class IndicatorCrossings {
  readonly #tape: CandleTape
  readonly #of: Priced
  readonly #candles: Pick<ClosedCandles, 'of'>
  readonly #groups = new Map<string, Group>()
  #advanced: Ms
  #isLate = false

  /** `from`: candles that closed up to here were judged. */
  constructor(tape: CandleTape, of: Priced, from: Ms, candles: Pick<ClosedCandles, 'of'>) {
    this.#tape = tape
    this.#of = of
    this.#advanced = from
    this.#candles = candles
  }

  /** Whether a candle that has closed isn't judged yet, because it isn't read. */
  get isLate(): boolean {
    return this.#isLate
  }

  /** Candles that have closed by now don't fire it. */
  add(alert: IndicatorAlert): void {
    const terms = alert.indicator
    const key = JSON.stringify([terms.id, terms.inputs, terms.output, terms.interval])
    let group = this.#groups.get(key)
    if (!group) {
      group = { terms, series: seriesOf(terms), since: undefined, seen: this.#advanced, newest: undefined, alerts: [] }
      this.#open(group)
      this.#groups.set(key, group)
    }
    group.alerts.push(alert)
  }

  /** Judges the candles that have closed. Returns whether there may have been any. */
  advance(fire: FireIndicator): boolean {
    const close = startOf(this.#tape.provenUntil(this.#of.symbol) + 1, MINUTE_MS)
    if (close <= this.#advanced && !this.#isLate) return false
    this.#advanced = Math.max(this.#advanced, close)
    this.#isLate = false
    if (this.#groups.size === 0) return false
    for (const [key, group] of this.#groups) {
      const intervalMs = ALERT_INTERVALS[group.terms.interval]
      const end = startOf(close, intervalMs)
      if (group.seen >= end) continue
      if (this.#open(group)) this.#judge(group, fire)
      if ((this.#closed(group.terms.interval)?.until ?? 0) < end && close - end < HELD_BACK_MS) this.#isLate = true
      if (group.alerts.length === 0) this.#groups.delete(key)
    }
    return true
  }

  /**
   * Shows a group the candles that it doesn't judge: those before its alerts, and all again once prices come from another
   * kind of source. Returns whether they are known.
   */
  #open(group: Group): boolean {
    const closed = this.#closed(group.terms.interval)
    if (!closed) return false
    if (closed.since === group.since) return true
    group.series = seriesOf(group.terms)
    group.newest = undefined
    const intervalMs = ALERT_INTERVALS[group.terms.interval]
    for (const candle of closed.list) if (candle.time + intervalMs <= group.seen) step(group, candle)
    group.since = closed.since
    return true
  }

  #judge(group: Group, fire: FireIndicator): void {
    const intervalMs = ALERT_INTERVALS[group.terms.interval]
    const all = this.#closed(group.terms.interval)?.list ?? []
    const { seen } = group
    const next = all.findLastIndex(({ time }) => time + intervalMs <= seen) + 1
    for (const candle of all.slice(next)) {
      const before = group.newest
      step(group, candle)
      group.seen = candle.time + intervalMs
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

  #closed(interval: AlertIndicator['interval']): CandlesUntil | undefined {
    return this.#candles.of(this.#of, ALERT_INTERVALS[interval])
  }

  #lastTick(start: Ms, end: Ms): JudgedTick | undefined {
    let last: JudgedTick | undefined
    // Nearly always in the last minute, and a day has very many.
    for (const from of [Math.max(start, end - MINUTE_MS), start]) {
      this.#tape.ticks(this.#of.symbol, from, end - 1, (seq, sourceMs, units) => {
        last = { seq, sourceMs, units }
      })
      if (last) return last
    }
    return undefined
  }
}

const seriesOf = ({ id, inputs }: AlertIndicator): Series<Candle, Values> => must(indicatorOf(id)).start(inputs)

function step(group: Group, candle: Candle): void {
  group.newest = group.series(candle)?.[group.terms.output]
}

/** Whether a value crossed a level from one candle to the next. */
const crosses = (direction: AlertDirection, before: number, after: number, level: number): boolean =>
  (direction !== 'down' && before < level && after >= level) || (direction !== 'up' && before > level && after <= level)

/** Returns an indicator's value on the newest closed candle; undefined without enough of them. */
export async function currentValue(
  { tape, candles }: { tape: Pick<Tape, 'provenUntil'>; candles: Prices['candles'] },
  instrument: Priced,
  { id, inputs, output, interval }: AlertIndicator,
): Promise<number | undefined> {
  const intervalMs = ALERT_INTERVALS[interval]
  const series = must(indicatorOf(id)).start(inputs)
  const closed = await readCandles(candles, instrument, intervalMs, tape.provenUntil(instrument.symbol) + 1)
  return newestOf(series, closed)?.[output]
}
