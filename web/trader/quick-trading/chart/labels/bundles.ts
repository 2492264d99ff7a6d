import { first, last } from '#kernel/must.ts'

/** Lines closer than this share a bundle, px: a label is that high. */
const BUNDLE_PX = 24
/** The height of a tag on the price axis, px. */
const TAG_PX = 22

/** The line of an open trade. */
export interface Line {
  id: string
  /** Height of its entry price in the pane, px; may be out of view. */
  y: number
  /** The change to the balance if the trade ended now, cents; absent before its entry. */
  change: number | undefined
}

/** Lines that share one label. */
export interface Bundle<T extends Line> {
  /** From top to bottom. */
  lines: readonly T[]
  /** Height of the label's centre, and of the outermost lines, px. */
  y: number
  top: number
  bottom: number
  /** The sum of the changes, cents; absent while no trade has its entry. */
  sum: number | undefined
  winning: number
}

/**
 * Bundles the lines of open trades so that no two labels are closer than `BUNDLE_PX`. A line out of view is labelled at
 * the edge.
 */
export function bundlesOf<T extends Line>(lines: readonly T[], height: number): Bundle<T>[] {
  const edge = BUNDLE_PX / 2 + 1
  const placed = lines
    .map((line) => ({ line, y: Math.max(edge, Math.min(height - edge, line.y)) }))
    // A stable order: two trades with the same entry price don't swap places.
    .sort((a, b) => a.y - b.y || (a.line.id < b.line.id ? -1 : 1))
  const groups: (typeof placed)[] = []
  for (const one of placed) {
    const group = groups.at(-1)
    if (group && one.y - last(group).y < BUNDLE_PX) group.push(one)
    else groups.push([one])
  }
  return groups.map((group) => {
    const top = first(group).y
    const bottom = last(group).y
    const changes = group.flatMap(({ line }) => line.change ?? [])
    return {
      lines: group.map(({ line }) => line),
      y: (top + bottom) / 2,
      top,
      bottom,
      sum: changes.length > 0 ? changes.reduce((sum, change) => sum + change, 0) : undefined,
      winning: changes.filter((change) => change > 0).length,
    }
  })
}

/** Returns those of the tags, in order of importance, that have room on the price axis next to the `taken` heights. */
export function freeTags<T extends { y: number }>(tags: readonly T[], taken: readonly number[]): T[] {
  const free: T[] = []
  for (const tag of tags)
    if ([...taken, ...free.map(({ y }) => y)].every((y) => Math.abs(y - tag.y) >= TAG_PX)) free.push(tag)
  return free
}
