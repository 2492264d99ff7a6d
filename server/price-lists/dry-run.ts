import { setImmediate as breathe } from 'node:timers/promises'
import {
  DURATIONS,
  percentOf,
  type StrikeRate,
  TRADE_SIDES,
  type TradeSide,
  type TradingType,
} from '#contract/terms.ts'
import { listAt, type PriceListDocument } from '#contract/trading/offers.ts'
import type { DryRun } from '#contract/trading/price-lists.ts'
import { must } from '#kernel/must.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type Ms, startOf, toIso } from '#kernel/time.ts'
import type { Db } from '../platform/database/db.ts'
import { type Instruments, type RecordedDay, storedMinutes, storedRange, type Tape } from '../prices/index.ts'
import { meanRange } from './mean-range.ts'

interface DryRunDeps {
  db: Db
  tape: Tape
  instruments: Instruments
  /** Recorded days, newest first. */
  recordings(): Promise<readonly RecordedDay[]>
}

/** Prices of a symbol at the end of each minute from `from` on; 0 is none. */
interface Closes {
  symbol: string
  tradingType: TradingType
  from: Ms
  closes: Float64Array
}

/** How many minutes were followed by a rise, a fall, or neither after a duration. */
interface Count {
  rises: number
  falls: number
  all: number
}

/** The tape that a dry run tries. */
const TAPE_MS = 7 * DAY_MS
/** Maximum minutes to take from memory, for those that aren't stored yet. */
const RECENT = DAY_MS / MINUTE_MS
/** Days read in one query: parsing them takes some milliseconds. */
const DAYS_AT_ONCE = 3
/** Trades that don't overlap, from which a symbol and duration is judged. */
const JUDGED_FROM = 30
/** One-sided, 95%. */
const SURE = 1.645
const EDGES_MAX = 50

/**
 * Tries price lists on past minutes: what the house would have held of the stakes of traders who press at each minute,
 * and for which symbols, durations and sides a trader would have had an edge that is more than luck. It works symbol by
 * symbol and lets other work run between.
 */
export async function dryRun(
  deps: DryRunDeps,
  document: PriceListDocument,
  openTrades: number,
  now: Ms,
): Promise<DryRun> {
  const tape = await tried('tape', document, tapeCloses(deps, now))
  const days = await deps.recordings()
  const recorded = days.length === 0 ? undefined : await tried('recordings', document, recordedCloses(deps, days))
  const runs = [tape, recorded].filter((run) => run !== undefined)
  const noHold = document.lists.flatMap(({ pairs }, at) =>
    pairs.flatMap((pair) =>
      TRADE_SIDES.filter((side) => percentOf(pair, side) === 100).map((side) => ({ list: at + 1, pair, side })),
    ),
  )
  const edges = runs.flatMap((run) => run.edges).sort((a, b) => b.low - a.low)
  return {
    at: toIso(now),
    edge: edges.length > 0 || noHold.length > 0,
    no_hold: noHold,
    edges_in_all: edges.length,
    edges: edges.slice(0, EDGES_MAX),
    open_trades: openTrades,
    sources: runs.map(({ source }) => source),
    rows: runs.flatMap((run) => run.rows),
  }
}

const traded = ({ list }: Instruments) =>
  list.flatMap(({ id, symbol, tradingType }) => (tradingType === null ? [] : [{ id, symbol, tradingType }]))

async function* tapeCloses({ db, tape, instruments }: DryRunDeps, now: Ms): AsyncGenerator<Closes> {
  const to = startOf(now, MINUTE_MS)
  const from = to - TAPE_MS
  const stored = await storedRange(db)
  for (const { id, symbol, tradingType } of traded(instruments)) {
    const closes = new Float64Array(TAPE_MS / MINUTE_MS)
    const add = (time: Ms, close: number) => {
      const at = (time - from) / MINUTE_MS
      if (at >= 0 && at < closes.length) closes[at] = close
    }
    for (const [time, , , , close] of tape.closedCandles(symbol, MINUTE_MS, RECENT, to)) add(time, Number(close))
    for (let start = Math.max(from, stored?.from ?? to); start < to; start += DAYS_AT_ONCE * DAY_MS) {
      const text = await storedMinutes(db, id, start, Math.min(to, start + DAYS_AT_ONCE * DAY_MS))
      for (const [time, , , , close] of JSON.parse(text) as [number, number, number, number, number][]) add(time, close)
      await breathe()
    }
    yield { symbol, tradingType, from, closes }
  }
}

async function* recordedCloses({ instruments }: DryRunDeps, days: readonly RecordedDay[]): AsyncGenerator<Closes> {
  for (const { symbol, tradingType } of traded(instruments))
    for (const { start, minutes } of days) {
      const text = minutes.get(symbol)
      if (text === undefined) continue
      const closes = new Float64Array(DAY_MS / MINUTE_MS)
      for (const [time, , , , close] of JSON.parse(text) as [number, number, number, number, number][]) {
        const at = (time - start) / MINUTE_MS
        if (at >= 0 && at < closes.length) closes[at] = close
      }
      await breathe()
      yield { symbol, tradingType, from: start, closes }
    }
}

interface Tried {
  source: DryRun['sources'][number]
  rows: DryRun['rows']
  edges: DryRun['edges']
}

async function tried(
  name: 'tape' | 'recordings',
  document: PriceListDocument,
  all: AsyncGenerator<Closes>,
): Promise<Tried | undefined> {
  /** By list, then day. */
  const byDay = new Map<number, Map<Ms, Count>>()
  /** By symbol, duration and list. */
  const cells = new Map<string, Count & { symbol: string; duration: number; list: number }>()
  const symbols = new Set<string>()
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for await (const one of all) {
    for (const duration of DURATIONS)
      countMoves(one, duration, document, (list, day, move) => {
        symbols.add(one.symbol)
        first = Math.min(first, day)
        last = Math.max(last, day)
        add(
          entryOf(
            entryOf(byDay, list, () => new Map<Ms, Count>()),
            day,
            NONE,
          ),
          move,
        )
        const key = `${one.symbol} ${duration} ${list}`
        add(
          entryOf(cells, key, () => ({ ...NONE(), symbol: one.symbol, duration, list })),
          move,
        )
      })
    await breathe()
  }
  if (symbols.size === 0) return undefined
  return {
    source: { name, from: toIso(first).slice(0, 10), to: toIso(last).slice(0, 10), symbols: symbols.size },
    rows: offeredSides(document).map(({ list, pair, side }) => ({
      source: name,
      ...{ list, pair, side },
      ...holdOf([...(byDay.get(list)?.values() ?? [])], percentOf(pair, side), side),
    })),
    edges: [...cells.values()].flatMap((cell) =>
      must(document.lists[cell.list - 1]).pairs.flatMap((pair) =>
        TRADE_SIDES.flatMap((side) => edgeOf(name, cell, pair, side) ?? []),
      ),
    ),
  }
}

const NONE = (): Count => ({ rises: 0, falls: 0, all: 0 })
function add(count: Count, { rises, falls, all }: Count): void {
  count.rises += rises
  count.falls += falls
  count.all += all
}
function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key) ?? make()
  map.set(key, found)
  return found
}

const offeredSides = ({ lists }: PriceListDocument) =>
  lists.flatMap(({ pairs }, at) => pairs.flatMap((pair) => TRADE_SIDES.map((side) => ({ list: at + 1, pair, side }))))

/** Counts the moves of a symbol after a duration, by hour: the rules change at full hours only. */
function countMoves(
  { symbol, tradingType, from, closes }: Closes,
  duration: number,
  document: PriceListDocument,
  found: (list: number, day: Ms, count: Count) => void,
): void {
  const later = (duration * 1_000) / MINUTE_MS
  const perHour = HOUR_MS / MINUTE_MS
  for (let at = 0; at < closes.length; ) {
    const time = from + at * MINUTE_MS
    const until = Math.min(closes.length, at + perHour - (time % HOUR_MS) / MINUTE_MS)
    const count = NONE()
    for (; at < until; at++) {
      const [entry, exit] = [closes[at] ?? 0, closes[at + later] ?? 0]
      if (entry === 0 || exit === 0) continue
      count.all++
      if (exit > entry) count.rises++
      else if (exit < entry) count.falls++
    }
    if (count.all > 0) found(listAt(document, { symbol, tradingType, duration }, time), startOf(time, DAY_MS), count)
  }
}

/** What a trader gets of their stake on average, beyond it: above 0 is an edge. */
function returnOf({ rises, falls, all }: Count, percent: number, side: TradeSide): number {
  const [wins, losses] = side === 'Buy' ? [rises, falls] : [falls, rises]
  return ((wins * percent) / 100 - losses) / all
}

/** The share of stakes that the house would have held, in percent, and its range by days. */
function holdOf(days: readonly Count[], percent: number, side: TradeSide) {
  const all = NONE()
  for (const day of days) add(all, day)
  const breakEven = round(10_000 / (100 + percent), 1)
  if (all.all === 0) return { break_even: breakEven, hold: null, minutes: 0 }
  const range = meanRange(days.map((day) => -100 * returnOf(day, percent, side)))
  return {
    break_even: breakEven,
    hold: {
      percent: round(-100 * returnOf(all, percent, side), 2),
      low: range ? round(range.low, 2) : null,
      high: range ? round(range.high, 2) : null,
    },
    minutes: all.all,
  }
}

/** Returns the edge that a trader would have had, if it's more than luck. */
function edgeOf(
  source: 'tape' | 'recordings',
  cell: Count & { symbol: string; duration: number; list: number },
  pair: StrikeRate,
  side: TradeSide,
): DryRun['edges'][number] | undefined {
  const percent = percentOf(pair, side)
  // Trades of neighbouring minutes share most of their time.
  const apart = cell.all / ((cell.duration * 1_000) / MINUTE_MS)
  const expected = returnOf(cell, percent, side)
  if (apart < JUDGED_FROM || expected <= 0) return undefined
  const [wins, losses] = side === 'Buy' ? [cell.rises, cell.falls] : [cell.falls, cell.rises]
  const squares = (wins * (percent / 100) ** 2 + losses) / cell.all
  const low = expected - SURE * Math.sqrt((squares - expected ** 2) / apart)
  if (low <= 0) return undefined
  const { symbol, duration, list } = cell
  return { source, symbol, duration, list, pair, side, percent: round(100 * expected, 2), low: round(100 * low, 2) }
}

const round = (value: number, places: number) => Number(value.toFixed(places))
