import type { Ms } from '#kernel/time.ts'
import { agree, DEFAULT_TERMS, type FinePrice } from '../../venues/index.ts'
import type { RecordedBar } from '../candles/bars.ts'

const SIDES = ['open', 'high', 'low', 'close'] as const
/** A venue whose newest point is older says nothing about the price. */
const FRESH_MS = 10_000

/** Several venues' bars as one: the median of each of the four prices, over the venues that agree on all of them. */
export function indexOfBars(venues: readonly (readonly RecordedBar[])[]): RecordedBar[] {
  const byStart = Map.groupBy(venues.flat(), ({ startMs }) => startMs)
  return [...byStart]
    .sort(([a], [b]) => a - b)
    .flatMap(([startMs, bars]) => {
      const wrong = new Set(SIDES.flatMap((side) => agreed(bars, (bar) => bar[side]).outliers))
      const kept = bars.filter((bar) => !wrong.has(bar))
      if (kept.length * 2 <= bars.length) return []
      const medians = SIDES.map((side) => agreed(kept, (bar) => bar[side]).units)
      const [open, high, low, close] = medians
      if (open === undefined || high === undefined || low === undefined || close === undefined) return []
      return [{ startMs, open, high, low, close }]
    })
}

/** Several venues' trades or quotes as one: the median of the newest, whenever one of them has news. */
export function indexOfPoints(venues: readonly (readonly RecordedBar[])[]): RecordedBar[] {
  const news = venues
    .flatMap((points, venue) => points.map((point) => ({ venue, point })))
    .sort((a, b) => a.point.startMs - b.point.startMs)
  const newest = new Map<number, RecordedBar>()
  const made: RecordedBar[] = []
  for (const [at, { venue, point }] of news.entries()) {
    newest.set(venue, point)
    const { startMs } = point
    if (news[at + 1]?.point.startMs === startMs) continue
    const fresh = [...newest.values()].filter((one) => startMs - one.startMs <= FRESH_MS)
    const { units } = agreed(fresh, ({ close }) => close)
    if (units !== undefined) made.push(bar(startMs, units))
  }
  return made
}

const bar = (startMs: Ms, units: number): RecordedBar => ({
  startMs,
  open: units,
  high: units,
  low: units,
  close: units,
})

/** The index of whole units: all venues of a symbol are at the same scale, so it doesn't matter at which. */
function agreed(bars: readonly RecordedBar[], unitsOf: (bar: RecordedBar) => number) {
  const { price, outliers } = agree(
    bars.map((bar) => ({ bar, price: BigInt(unitsOf(bar)) as FinePrice })),
    DEFAULT_TERMS,
  )
  return { units: price === undefined ? undefined : Number(price), outliers: outliers.map((one) => one.bar) }
}
