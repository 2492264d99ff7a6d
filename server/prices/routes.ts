import { CANDLE_INTERVALS, type Instrument as InstrumentReply, SOURCES } from '#contract/prices/prices.ts'
import { fieldProblem, Problem } from '#contract/problem.ts'
import { must } from '#kernel/must.ts'
import { varianceMinute } from '#kernel/sale-value.ts'
import { DAY_MS, MINUTE_MS, type Ms, SECOND_MS, startOf, toIso } from '#kernel/time.ts'
import type { Db } from '../platform/database/db.ts'
import { type Handlers, JsonText } from '../platform/http/index.ts'
import type { Clock } from '../platform/process/clock.ts'
import { answersOfOneFrame } from './candles/answers.ts'
import { type OlderBars, readBars } from './candles/candles.ts'
import type { History } from './candles/history.ts'
import { type Kept as KeptBars, sparkEnd, sparklines } from './candles/sparklines.ts'
import { kindOf } from './feeds/feed.ts'
import type { FeedView } from './feeds/feed-view.ts'
import type { Instrument, Instruments } from './instruments/instruments.ts'
import { unitsText } from './instruments/text.ts'
import type { Memory } from './tape/memory/memory.ts'
import type { Tape } from './tape/tape.ts'
import type { VariancesAt } from './tape/variances.ts'

const DEFAULT_CANDLES = 300
const TICKS_MAX = 10_000
const DEFAULT_TICKS_MS = 60 * SECOND_MS
/** How long an answer with the lines of all symbols is given again. */
const SPARKLINES_KEPT_MS = MINUTE_MS

export type PriceCalls =
  | 'GET /prices/instruments'
  | 'GET /prices/candles'
  | 'GET /prices/sparklines'
  | 'GET /prices/variances'
  | 'GET /prices/ticks'

interface RoutesDeps {
  instruments: Instruments
  memory: Memory
  tape: Tape
  view(): FeedView
  clock: Clock
  realTradesOnTestPrices: boolean
  older(db: Db): OlderBars
  /** Returns `[seq, sourceMs, units]` of [from, to], oldest first, at most `limit`. */
  readTicks(db: Db, slot: number, from: Ms, to: Ms, limit: number): Promise<[number, Ms, number][]>
  /** Returns the variances of the tape that count at a time. */
  variances(time: Ms): Promise<VariancesAt | undefined>
  /** What precedes the slot's newest period in charts; undefined while it has nothing. */
  historyOf(slot: number): History | undefined
  /** The price a day ago; undefined if unknown. */
  unitsDayAgo(slot: number): number | undefined
}

export function pricesRoutes(deps: RoutesDeps): Handlers<PriceCalls> {
  const kept = answersOfOneFrame(() => deps.memory.head().n)
  return {
    ...instrumentsRoute(deps, kept),
    ...candlesRoute(deps, kept),
    ...sparklinesRoute(deps),
    ...variancesRoute(deps),
    ...ticksRoute(deps),
  }
}

type Kept = ReturnType<typeof answersOfOneFrame>

function instrumentsRoute(deps: RoutesDeps, kept: Kept): Handlers<'GET /prices/instruments'> {
  const { instruments, clock } = deps
  return {
    'GET /prices/instruments': async ({ query: { symbols } }) => {
      const named = symbols === undefined ? undefined : new Set(symbols.split(','))
      // The status of a symbol also changes with time alone.
      const key = `instruments ${symbols ?? '*'} ${Math.floor(clock.now() / SECOND_MS)}`
      return kept(key, async () => {
        const { sources } = await deps.view().reports()
        const { kind, note } = deps.view()
        const text = note()
        return {
          status: true,
          data: instruments
            .current()
            .filter(({ symbol }) => named?.has(symbol) ?? true)
            .map((instrument) => describe(deps, instrument, sources[instrument.symbol])),
          source: kind,
          ...(text === undefined ? {} : { note: text }),
          real_trades: kind === 'live' || deps.realTradesOnTestPrices,
        }
      })
    },
  }
}

function candlesRoute(deps: RoutesDeps, kept: Kept): Handlers<'GET /prices/candles'> {
  const { instruments, memory } = deps
  return {
    'GET /prices/candles': async ({ query, reads }) => {
      const slot = slotOf(instruments, query.symbol)
      const intervalMs = CANDLE_INTERVALS[query.interval]
      const limit = Number(query.limit ?? DEFAULT_CANDLES)
      // Any time within an interval requests the same candles.
      const before = query.before === undefined ? undefined : endOf(instant('before', query.before), intervalMs)
      return kept(`candles ${slot} ${intervalMs} ${limit} ${before}`, async () => {
        const { scale } = must(instruments.list[slot])
        const period = memory.periods[slot]
        // Candles of another kind than what prices come from now aren't shown.
        if (period && period.kind !== kindOf(deps.view().kind)) return { status: true, data: [] }
        const end = before ?? latestTime(deps) + 1
        const bars = await readBars(
          memory,
          deps.older(reads),
          slot,
          intervalMs,
          limit,
          Math.min(end, latestTime(deps) + 1),
        )
        const history = deps.historyOf(slot)
        const shown = history && (bars[0]?.[0] ?? history.until) < history.until ? history : undefined
        return {
          status: true,
          data: bars.map(([time, ...prices]) => [time, ...prices.map((units) => unitsText(units, scale))]),
          ...(shown &&
            (shown.venue ? { venue: shown.venue, venue_until: shown.until } : { simulated_until: shown.until })),
          ...(period ? { source: SOURCES[period.kind] } : {}),
          ...(period && !period.first ? { since: period.since } : {}),
        }
      })
    },
  }
}

/** One answer for all symbols, made at most once a minute, however many ask. */
/** Answers from the tape once a minute, however many ask. */
function variancesRoute({ tape, variances }: RoutesDeps): Handlers<'GET /prices/variances'> {
  let kept: { minute: Ms; of: Record<string, number> } | undefined
  return {
    'GET /prices/variances': async () => {
      const { t } = tape.head()
      const minute = varianceMinute(t)
      if (kept?.minute !== minute) {
        const found = await variances(t)
        kept = { minute, of: Object.fromEntries(found?.of ?? []) }
      }
      return { status: true, data: { minute, variances: kept.of } }
    },
  }
}

function sparklinesRoute(deps: RoutesDeps): Handlers<'GET /prices/sparklines'> {
  const { instruments, memory, view, historyOf } = deps
  const kept = new Map<number, KeptBars>()
  let known: { minute: number; answer: Promise<JsonText> } | undefined
  return {
    'GET /prices/sparklines': ({ reads }) => {
      const now = latestTime(deps)
      const minute = Math.floor(now / SPARKLINES_KEPT_MS)
      if (known?.minute === minute) return known.answer
      const end = sparkEnd(now)
      const slots = instruments
        .current()
        .map(({ symbol }) => [slotOf(instruments, symbol), symbol] as const)
        .filter(([slot]) => memory.periods[slot]?.kind === kindOf(view().kind))
      const answer = sparklines({ memory, older: deps.older(reads), historyOf, slots, kept }, end).then(
        (lines) => new JsonText(JSON.stringify({ status: true, data: { from: end - DAY_MS, lines } })),
      )
      const made = { minute, answer }
      known = made
      answer.catch(() => {
        if (known === made) known = undefined
      })
      return answer
    },
  }
}

function ticksRoute(deps: RoutesDeps): Handlers<'GET /prices/ticks'> {
  const { instruments, memory } = deps
  return {
    'GET /prices/ticks': async ({ query, reads }) => {
      const slot = slotOf(instruments, query.symbol)
      const to = query.to === undefined ? latestTime(deps) : instant('to', query.to)
      const from = query.from === undefined ? to - DEFAULT_TICKS_MS : instant('from', query.from)
      if (from > to) throw fieldProblem('from', 'must not be after to')
      const { scale } = must(instruments.list[slot])
      const rows: [number, Ms, string][] = []
      if (memory.coversTicks(slot, from)) {
        memory.ticks(slot, from, to, (seq, sourceMs, units) => {
          if (rows.length < TICKS_MAX) rows.push([seq, sourceMs, unitsText(units, scale)])
        })
      } else {
        for (const [seq, sourceMs, units] of await deps.readTicks(reads, slot, from, to, TICKS_MAX)) {
          rows.push([seq, sourceMs, unitsText(units, scale)])
        }
      }
      return { status: true, data: rows }
    },
  }
}

/** The later of the two times: a database whose clock went back must not hide the newest candle. */
function latestTime({ clock, memory }: RoutesDeps): Ms {
  return Math.max(clock.now(), memory.head().t)
}

function slotOf(instruments: Instruments, symbol: string): number {
  const slot = instruments.slotOf(symbol)
  if (slot === undefined) throw new Problem('not_found', 'Symbol not found.')
  return slot
}

function describe(
  { instruments, memory, tape, view, unitsDayAgo }: RoutesDeps,
  { symbol, base, quote, tradingType, scale }: Instrument,
  sources: number | undefined,
): InstrumentReply {
  const slot = slotOf(instruments, symbol)
  // A price of another kind isn't shown.
  const isOfKind = memory.periods[slot]?.kind === kindOf(view().kind)
  const last = isOfKind ? must(memory.newest.sourceMs[slot]) : 0
  const dayAgo = unitsDayAgo(slot)
  const { status, reason, reopensMs } = tape.status(symbol)
  return {
    symbol,
    base,
    quote,
    trading_type: tradingType,
    scale,
    status,
    ...(reason !== undefined ? { reason } : {}),
    ...(reopensMs !== undefined ? { reopens: toIso(reopensMs) } : {}),
    ...(last > 0 ? { price: unitsText(must(memory.newest.units[slot]), scale), time: toIso(last) } : {}),
    ...(sources === undefined ? {} : { sources }),
    ...(last > 0 && dayAgo !== undefined ? { price_before: unitsText(dayAgo, scale) } : {}),
  }
}

const endOf = (time: Ms, intervalMs: number): Ms => startOf(time - 1, intervalMs) + intervalMs

/** Unix milliseconds or ISO 8601 with a zone, as query text. */
export function instant(field: string, unchecked: string): Ms {
  if (/^\d{1,14}$/.test(unchecked)) return Number(unchecked)
  const iso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(unchecked)
  const time = iso ? Date.parse(unchecked) : Number.NaN
  if (Number.isNaN(time) || time < 0) throw fieldProblem(field, 'must be Unix milliseconds or an ISO 8601 time')
  return time
}
