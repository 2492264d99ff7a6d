import { defaultHorzScaleBehavior, type IHorzScaleBehavior, type Time, type UTCTimestamp } from 'lightweight-charts'

/** Returns how far local time is ahead of UTC at a time, ms. */
type OffsetAt = (timeMs: number) => number

const browserOffset: OffsetAt = (timeMs) => new Date(timeMs).getTimezoneOffset() * -60_000

/**
 * The chart's time axis with the reader's days and hours. The library's own begins days at midnight UTC, which is an
 * afternoon or morning elsewhere; here, it weighs the times of the local clock.
 */
export function localScale(offsetAt: OffsetAt = browserOffset): IHorzScaleBehavior<Time> {
  class LocalScale extends defaultHorzScaleBehavior() {
    override fillWeightsForPoints(
      ...[points, from]: Parameters<IHorzScaleBehavior<Time>['fillWeightsForPoints']>
    ): void {
      // A weight depends on the point before.
      const first = Math.max(0, from - 1)
      const local = points.slice(first).map((point) => {
        const timeMs = this.cacheKey(point.time)
        const shifted = ((timeMs + offsetAt(timeMs)) / 1_000) as UTCTimestamp
        return { ...point, time: this.convertHorzItemToInternal(shifted) }
      })
      super.fillWeightsForPoints(local, from - first)
      for (let at = from; at < points.length; at++)
        Object.assign(points[at] ?? {}, { timeWeight: local[at - first]?.timeWeight })
    }
  }
  return new LocalScale()
}
