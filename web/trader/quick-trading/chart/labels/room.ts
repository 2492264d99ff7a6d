/** Free space to the right of the newest bar without open trades, in bars. */
export const NORMAL_ROOM = 8
/** The most of the width that labels may take, and that is left free to show an end. */
const MOST_SHARE = { labels: 0.4, end: 0.3 }
/** The width of the labels of open trades, px, in a wide and in a narrow pane. */
const LABELS_PX = { wide: 185, narrow: 100, narrowBelow: 448 }

interface View {
  /** The newest bar's time, Unix ms. */
  lastMs: number
  intervalMs: number
  /** Bars that fit in the pane, and the width of each, px. */
  bars: number
  barPx: number
}

/**
 * Returns how many bars to leave free on the right: enough for the labels of open trades and for those of their ends
 * that fit; without open trades, the normal margin.
 */
export function roomFor(endsMs: readonly number[], { lastMs, intervalMs, bars, barPx }: View): number {
  if (endsMs.length === 0) return NORMAL_ROOM
  const labels = (bars * barPx < LABELS_PX.narrowBelow ? LABELS_PX.narrow : LABELS_PX.wide) / barPx
  const ends = endsMs
    .map((endMs) => Math.ceil((endMs - lastMs) / intervalMs) + 1)
    .filter((count) => count <= bars * MOST_SHARE.end)
  return Math.max(NORMAL_ROOM, Math.min(bars * MOST_SHARE.labels, labels), ...ends)
}
