import { Problem } from '#contract/problem.ts'

/** Counts what happens to each key within a window of time, in this process's memory. */
export interface RateLimit {
  /** Refuses with 429 where the key has used up its window. Counts nothing. */
  check(key: string): void
  /** Counts one. */
  count(key: string): void
  /** Counts one, or refuses. */
  take(key: string): void
}

const KEYS_MAX = 100_000

/**
 * At most `max` in any `windowMs`, by the two-window approximation: the last whole window counts by the share of it
 * that still lies within. `factor` multiplies the limit; undefined switches it off.
 */
export function rateLimit(options: {
  max: number
  windowMs: number
  factor: number | undefined
  message: string
  now?: () => number
}): RateLimit {
  const now = options.now ?? (() => performance.now())
  const max = options.max * (options.factor ?? Number.POSITIVE_INFINITY)
  let windowStart = now()
  let current = new Map<string, number>()
  let previous = new Map<string, number>()

  function turn(): number {
    const passed = now() - windowStart
    if (passed >= 2 * options.windowMs) previous = new Map()
    else if (passed >= options.windowMs) previous = current
    if (passed >= options.windowMs) {
      current = new Map()
      windowStart += Math.floor(passed / options.windowMs) * options.windowMs
    }
    return 1 - (now() - windowStart) / options.windowMs
  }

  const used = (key: string) => {
    const share = turn()
    return (previous.get(key) ?? 0) * share + (current.get(key) ?? 0)
  }

  const limit: RateLimit = {
    check(key) {
      if (used(key) + 1 <= max) return
      throw new Problem('too_many_requests', options.message, {
        retryAfterSeconds: Math.max(1, (windowStart + options.windowMs - now()) / 1000),
      })
    },
    count(key) {
      turn()
      if (current.size >= KEYS_MAX && !current.has(key)) return
      current.set(key, (current.get(key) ?? 0) + 1)
    },
    take(key) {
      limit.check(key)
      limit.count(key)
    },
  }
  return limit
}
