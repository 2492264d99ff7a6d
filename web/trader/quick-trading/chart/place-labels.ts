/** A label to be placed on the chart, px. `x` and `y` are the trade end it belongs to. */
export interface Wanted {
  x: number
  y: number
  width: number
  settled: boolean
}

export interface Placed {
  left: number
  /** Its vertical centre. */
  y: number
}

export const LABEL_HEIGHT = 22
const GAP = 4
const EDGE = 4
/** Gap between an end and the label to its right. */
const BESIDE = 10

/**
 * A narrower chart has no room for labels over its newest candles: one open trade is labelled, at the left edge. The
 * list below has the others.
 */
export const NARROW_CHART = 560
export const mostLabels = (chartWidth: number): { open: number; settled: number } =>
  chartWidth < NARROW_CHART ? { open: 1, settled: 1 } : { open: 8, settled: 3 }

/**
 * Places labels in order and moves them apart where they would overlap. An open trade's label goes to the right of its
 * end, which is empty. If there is no room, and for settled trades, it goes to the upper edge; on a narrow chart to the
 * left, over the oldest candles.
 */
export function placeLabels(wanted: readonly Wanted[], size: { width: number; height: number }): Placed[] {
  const taken: { left: number; right: number; y: number }[] = []
  const isNarrow = size.width < NARROW_CHART
  return wanted.map(({ x, y, width, settled }) => {
    const ideal = settled ? x - width / 2 : x + BESIDE
    const last = size.width - width - EDGE
    const isBeside = !settled && ideal <= last
    const left = isBeside ? ideal : isNarrow ? EDGE : Math.max(EDGE, Math.min(ideal, last))
    const right = left + width
    const clash = (at: number) =>
      taken.some((one) => one.left < right && left < one.right && Math.abs(one.y - at) < LABEL_HEIGHT + GAP)
    const clamp = (at: number) => Math.max(LABEL_HEIGHT / 2 + 2, Math.min(size.height - LABEL_HEIGHT / 2 - 2, at))
    const first = clamp(isBeside ? y : 0)
    let at = first
    for (let step = 1; clash(at) && step < 40; step++) {
      const away = isBeside ? (step % 2 === 0 ? -1 : 1) * Math.ceil(step / 2) : step
      at = clamp(first + away * (LABEL_HEIGHT + GAP))
    }
    taken.push({ left, right, y: at })
    return { left, y: at }
  })
}
