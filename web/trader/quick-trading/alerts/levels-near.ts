/** The farthest levels that the chart makes room for, above or below its bars, as a part of their height. */
const ROOM = 0.5

/**
 * The range of the levels that are near the bars from index `from` to `to`: the chart makes room for them. Without bars or
 * levels near them, nothing.
 */
export function levelsNear(
  bars: readonly { high: number; low: number }[],
  { from, to }: { from: number; to: number },
  levels: readonly number[],
): { minValue: number; maxValue: number } | undefined {
  let high = Number.NEGATIVE_INFINITY
  let low = Number.POSITIVE_INFINITY
  for (let index = Math.max(0, Math.floor(from)); index <= Math.min(bars.length - 1, Math.ceil(to)); index++) {
    high = Math.max(high, bars[index]!.high)
    low = Math.min(low, bars[index]!.low)
  }
  const room = (high - low) * ROOM
  const near = levels.filter((level) => level >= low - room && level <= high + room)
  return near.length === 0 ? undefined : { minValue: Math.min(...near), maxValue: Math.max(...near) }
}
