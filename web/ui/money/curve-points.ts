import type { CurvePoint } from './draw-curve.ts'

/** Returns the points of a curve, one a second at most, as the chart needs them. `curve`: Unix ms and US dollars. */
export function curvePoints(curve: readonly (readonly [ms: number, dollars: number])[]): CurvePoint[] {
  const bySecond = new Map(curve.map(([ms, dollars]) => [Math.floor(ms / 1_000), dollars]))
  return [...bySecond].map(([time, value]) => ({ time, value }))
}
