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
  for (const bar of bars.slice(Math.max(0, Math.floor(from)), Math.max(0, Math.ceil(to) + 1))) {
    high = Math.max(high, bar.high)
    low = Math.min(low, bar.low)
  }
  const room = (high - low) * ROOM
  const near = levels.filter((level) => level >= low - room && level <= high + room)
  return near.length === 0 ? undefined : { minValue: Math.min(...near), maxValue: Math.max(...near) }
}
