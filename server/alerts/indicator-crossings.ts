import { ALERT_INTERVALS, type AlertDirection, type AlertIndicator } from '#contract/alerts.ts'
import { indicatorOf, type Values } from '#kernel/indicators/list.ts'
import { type Candle, newestOf, type Series } from '#kernel/indicators/series.ts'
import { must } from '#kernel/must.ts'
import { floatOfPrice } from '#kernel/price.ts'
import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import type { Tape } from '../prices/index.ts'
import type { IndicatorAlert, JudgedTick } from './terms.ts'

/** Candles in memory: at most a day of the shortest. */
const CANDLES = 1_500

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

/** The armed alerts on indicators of a symbol, judged when the tape has proven a candle's end. */
export interface IndicatorCrossings {
  /** Candles that have closed by now don't fire it. */
  add(alert: IndicatorAlert): void
  /** The tape has advanced. */
  advance(fire: (alert: IndicatorAlert, tick: JudgedTick, value: number) => void): void
}

/** `from`: candles that closed up to here were judged. */
export function createIndicatorCrossings(
  tape: CandleTape,
  { symbol, scale }: { symbol: string; scale: number },
  from: Ms,
): IndicatorCrossings {
  const groups = new Map<string, Group>()
  let advanced = from

  /** All closed candles of each length: read once for all groups. */
  const candles = new Map<number, { until: Ms; list: readonly Candle[] }>()

  function candlesOf(intervalMs: number): readonly Candle[] {
    const until = startOf(tape.provenUntil(symbol) + 1, intervalMs)
    let read = candles.get(intervalMs)
    if (read?.until !== until) {
      read = { until, list: closedCandles(tape, { symbol, scale }, intervalMs) }
      candles.set(intervalMs, read)
    }
    return read.list
  }

  function open(terms: AlertIndicator, until: Ms): Group {
    const series = must(indicatorOf(terms.id)).start(terms.inputs)
    const group: Group = { terms, series, seen: 0, newest: undefined, alerts: [] }
    const intervalMs = ALERT_INTERVALS[terms.interval]
    for (const candle of candlesOf(intervalMs)) if (candle.time + intervalMs <= until) step(group, candle)
    return group
  }

  function step(group: Group, candle: Candle): void {
    group.newest = group.series(candle)?.[group.terms.output]
    group.seen = candle.time + ALERT_INTERVALS[group.terms.interval]
  }

  function judge(group: Group, fire: (alert: IndicatorAlert, tick: JudgedTick, value: number) => void): void {
    const intervalMs = ALERT_INTERVALS[group.terms.interval]
    const all = candlesOf(intervalMs)
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
      const tick = lastTick(candle.time, group.seen)
      // The tick of an older candle may be gone from memory.
      if (tick) for (const alert of crossing) fire(alert, tick, after)
      group.alerts = group.alerts.filter(({ gone }) => !gone)
    }
  }

  function lastTick(start: Ms, end: Ms): JudgedTick | undefined {
    let last: JudgedTick | undefined
    tape.ticks(symbol, start, end - 1, (seq, sourceMs, units) => {
      last = { seq, sourceMs, units }
    })
    return last
  }

  function groupOf(terms: AlertIndicator): Group {
    const key = JSON.stringify([terms.id, terms.inputs, terms.output, terms.interval])
    let group = groups.get(key)
    if (!group) {
      group = open(terms, advanced)
      groups.set(key, group)
    }
    return group
  }

  return {
    add: (alert) => void groupOf(alert.indicator).alerts.push(alert),
    advance(fire) {
      const close = startOf(tape.provenUntil(symbol) + 1, MINUTE_MS)
      if (close <= advanced) return
      advanced = close
      for (const [key, group] of groups) {
        if (close - group.seen >= ALERT_INTERVALS[group.terms.interval]) judge(group, fire)
        if (group.alerts.length === 0) groups.delete(key)
      }
    },
  }
}

/** Whether a value crossed a level from one candle to the next. */
export const crosses = (direction: AlertDirection, before: number, after: number, level: number): boolean =>
  (direction !== 'down' && before < level && after >= level) || (direction !== 'up' && before > level && after <= level)

function closedCandles(
  tape: CandleTape,
  { symbol, scale }: { symbol: string; scale: number },
  intervalMs: number,
): Candle[] {
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
  instrument: { symbol: string; scale: number },
  { id, inputs, output, interval }: AlertIndicator,
): number | undefined {
  const series = must(indicatorOf(id)).start(inputs)
  return newestOf(series, closedCandles(tape, instrument, ALERT_INTERVALS[interval]))?.[output]
}
