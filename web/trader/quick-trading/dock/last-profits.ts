interface Settled {
  id: string
  /** Settlement time, ISO. */
  time: string
}

/** Sorts by settlement, newest first. Trades settled in the same millisecond are sorted by placement, latest first. */
export const newestFirst = <T extends Settled>(rows: readonly T[]): T[] =>
  [...rows].sort((a, b) => compare(b.time, a.time) || compare(b.id, a.id))

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
