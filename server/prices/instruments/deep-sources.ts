import { type Ms, SECOND_MS } from '#kernel/time.ts'

/** More sources make no difference to what may be traded. */
export const ENOUGH_SOURCES = 3
/** A source counts again once it has counted for this long, so that a flickering one doesn't. */
const STEADY_MS = 5 * SECOND_MS

/** How many sources have made each symbol's price at its depth, steadily: it falls at once and rises slowly. */
interface DeepSources {
  see(symbol: string, count: number, now: Ms): void
  /** Returns at most `ENOUGH_SOURCES`; undefined before the first price. */
  of(symbol: string): number | undefined
}

export function createDeepSources(): DeepSources {
  /** `fewest`: the smallest count since `since`, all above `steady`. */
  const known = new Map<string, { steady: number; fewest: number; since: Ms }>()
  return {
    see(symbol, seen, now) {
      const count = Math.min(seen, ENOUGH_SOURCES)
      const one = known.get(symbol)
      if (!one || count <= one.steady) {
        known.set(symbol, { steady: count, fewest: ENOUGH_SOURCES, since: now })
        return
      }
      one.fewest = Math.min(one.fewest, count)
      if (now - one.since >= STEADY_MS) known.set(symbol, { steady: one.fewest, fewest: ENOUGH_SOURCES, since: now })
    },
    of: (symbol) => known.get(symbol)?.steady,
  }
}
