/**
 * Remembers who wrote lately, until a standby has all of it. Times are `performance.now()` of this process, taken after
 * the commit. A standby that *covers* a time has everything that was committed before it.
 */
import { must } from '#kernel/must.ts'

interface RecentWrites {
  /** From now on this caller's reads need what was committed up to `at`. */
  mark(caller: string, at: number): void
  /** The same for every caller: what they wrote may have gone unheard. */
  markAll(at: number): void
  /** Whether a standby that covers this time has all that the caller must see. Without a caller: that all must see. */
  isCovered(caller: string | undefined, covered: number): boolean
  /** Forgets the writes that a standby covers. */
  forget(covered: number): void
  size(): number
}

/** Callers that are remembered at most. */
const CALLERS_MAX = 100_000

export function recentWrites(max = CALLERS_MAX): RecentWrites {
  // In the order of their times.
  const writes = new Map<string, number>()
  let everyone = Number.NEGATIVE_INFINITY

  return {
    mark(caller, at) {
      writes.delete(caller)
      writes.set(caller, at)
      if (writes.size <= max) return
      // A caller who is forgotten early counts among everyone.
      const [oldest, written] = must(writes.entries().next().value)
      writes.delete(oldest)
      everyone = Math.max(everyone, written)
    },
    markAll(at) {
      everyone = Math.max(everyone, at)
    },
    isCovered(caller, covered) {
      const written = caller === undefined ? undefined : writes.get(caller)
      return covered > everyone && (written === undefined || covered > written)
    },
    forget(covered) {
      for (const [caller, written] of writes) {
        if (written >= covered) return
        writes.delete(caller)
      }
    },
    size: () => writes.size,
  }
}
