import { publicId } from '#kernel/id.ts'
import { parseTraceparent, spanIdOf, type Tracer, traceIdOf } from '../platform/observe/tracing.ts'
import type { Clock } from '../platform/process/clock.ts'
import type { TradingObserver } from '../trading/index.ts'

/** The clock is asked again this often: it follows the database's, which runs at another speed. */
const ORIGIN_FOR_MS = 10_000

/**
 * Records one trace for each trade, over the processes that handle it: the request, its acceptance, its entry, the time
 * that it was open, and its settlement. All ids follow from the trade's id, so nothing is stored or passed on.
 */
export function tradeTraces(tracer: Tracer, clock: Pick<Clock, 'now'>): Required<TradingObserver> {
  const timeOf = createTapeTimes(clock)
  const traceOf = (tradeId: bigint) => sampledTrace(tracer, tradeId)
  return {
    responded({ id, route, status, beganAt, endedAt, traceparent }) {
      const trace = traceOf(id)
      if (!trace) return
      const { traceId, rootId, attributes } = trace
      const [method, path] = route.split(' ') as [string, string]
      tracer.record({
        traceId,
        spanId: rootId,
        name: route,
        kind: 'server',
        startMs: timeOf(beganAt),
        endMs: timeOf(endedAt),
        attributes: {
          ...attributes,
          'http.request.method': method,
          'http.route': path,
          'http.response.status_code': status,
        },
        failed: status >= 500,
        link: parseTraceparent(traceparent),
      })
    },
    accepted({ id, tookMs, isAutomatic }) {
      const trace = traceOf(id)
      if (!trace) return
      const { traceId, rootId, attributes } = trace
      const now = performance.now()
      // An automatic trade has no request: its order begins the trace.
      const place = isAutomatic ? { spanId: rootId } : { parentId: rootId }
      const name = isAutomatic ? 'automatic order' : 'accept'
      const times = { startMs: timeOf(now - tookMs), endMs: timeOf(now) }
      tracer.record({ traceId, ...place, name, kind: 'internal', ...times, attributes })
    },
    rejected: () => undefined,
    settled(trades, tookMs) {
      const now = performance.now()
      for (const { id, tradeTime, entryTime, endTime } of trades) {
        const trace = traceOf(id)
        if (!trace) continue
        const { traceId, rootId, attributes } = trace
        const place = { traceId, parentId: rootId, kind: 'internal' } as const
        if (entryTime !== undefined)
          tracer.record({ ...place, name: 'enter', startMs: tradeTime, endMs: entryTime, attributes })
        tracer.record({ ...place, name: 'open', startMs: tradeTime, endMs: endTime, attributes })
        const startMs = timeOf(now - tookMs)
        const endMs = timeOf(now)
        const lateness = {
          'cleartick.lateness_ms': Math.max(0, Math.round(endMs - endTime)),
          'cleartick.batch': trades.length,
        }
        tracer.record({ ...place, name: 'settle', startMs, endMs, attributes: { ...attributes, ...lateness } })
      }
    },
  }
}

/** Returns the function that converts `performance.now()` to tape time, so that spans of all machines share one clock. */
function createTapeTimes(clock: Pick<Clock, 'now'>): (moment: number) => number {
  let origin = { ms: 0, at: Number.NEGATIVE_INFINITY }
  return (moment) => {
    const now = performance.now()
    if (now - origin.at > ORIGIN_FOR_MS) origin = { ms: clock.now() - now, at: now }
    return origin.ms + moment
  }
}

/** Returns what the spans of a trade share; undefined if its trace is not sampled. */
function sampledTrace(tracer: Tracer, tradeId: bigint) {
  const thing = `trade ${tradeId}`
  const traceId = traceIdOf(thing)
  if (!tracer.samples(traceId)) return undefined
  return {
    traceId,
    /** The span that began the trade. */
    rootId: spanIdOf(thing, 'order'),
    attributes: { 'cleartick.trade.id': publicId(tradeId) },
  }
}

/** Reports to both. */
export const both = (one: TradingObserver, two: Required<TradingObserver>): TradingObserver => ({
  accepted(trade) {
    one.accepted(trade)
    two.accepted(trade)
  },
  rejected(code) {
    one.rejected(code)
    two.rejected(code)
  },
  responded: two.responded,
  settled(trades, tookMs) {
    one.settled(trades, tookMs)
    two.settled(trades, tookMs)
  },
})
