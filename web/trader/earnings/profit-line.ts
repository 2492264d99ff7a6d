import type { Profit } from '#contract/trading/trading.ts'
import { type CurvePoint, toCents } from '#web/ui/index.ts'

/** Returns the cumulative profit of these earnings (newest first). Earnings of the same second share a point. */
export function profitLine(profits: readonly Pick<Profit, 'profit' | 'createdAt'>[]): CurvePoint[] {
  const points: CurvePoint[] = []
  let cents = 0
  const oldestFirst = [...profits].sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt))
  for (const { profit, createdAt } of oldestFirst) {
    cents += toCents(profit)
    const point = { time: Math.floor(Date.parse(createdAt) / 1_000), value: cents / 100 }
    if (points.at(-1)?.time === point.time) points[points.length - 1] = point
    else points.push(point)
  }
  return points
}
