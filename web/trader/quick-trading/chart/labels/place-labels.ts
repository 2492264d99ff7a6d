/** The label of a settled trade to be placed on the chart, px. `x` is its end. */
interface Wanted {
  x: number
  width: number
}

interface Placed {
  left: number
  /** Its vertical centre. */
  y: number
}

export const LABEL_HEIGHT = 22
const GAP = 4
const EDGE = 4

/** A narrower chart has no room for labels over its newest candles: one is shown, at the left edge. */
const NARROW_CHART = 560
export const mostLabels = (chartWidth: number): number => (chartWidth < NARROW_CHART ? 1 : 3)

/** Places labels below the legend, which is drawn over them, in order, and moves them down where they would overlap. */
export function placeLabels(
  wanted: readonly Wanted[],
  size: { width: number; height: number },
  legendBottom: number,
): Placed[] {
  const taken: { left: number; right: number; y: number }[] = []
  return wanted.map(({ x, width }) => {
    const last = size.width - width - EDGE
    const left = size.width < NARROW_CHART ? EDGE : Math.max(EDGE, Math.min(x - width / 2, last))
    const right = left + width
    const clash = (at: number) =>
      taken.some((one) => one.left < right && left < one.right && Math.abs(one.y - at) < LABEL_HEIGHT + GAP)
    let y = legendBottom + GAP + LABEL_HEIGHT / 2
    while (clash(y) && y < size.height) y += LABEL_HEIGHT + GAP
    taken.push({ left, right, y })
    return { left, y }
  })
}
