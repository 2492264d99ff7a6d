interface Settled {
  id: string
  /** When it was settled, ISO. */
  time: string
}

/** Newest settlement first. Of trades settled in the same millisecond the one that was placed last comes first. */
export const newestFirst = <T extends Settled>(rows: readonly T[]): T[] =>
  [...rows].sort((a, b) => compare(b.time, a.time) || compare(b.id, a.id))

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
