import { Problem } from '#contract/problem.ts'
import { MINUTE_MS } from '#kernel/time.ts'

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
  /** What the refusal says; it may name when to try again: `12 minutes`. */
  message: string | ((wait: string) => string)
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

  /** How long until this key has room for one more, at the earliest. */
  function waitMs(key: string): number {
    const share = turn()
    const before = previous.get(key) ?? 0
    const here = current.get(key) ?? 0
    if (before * share + here + 1 <= max) return 0
    const left = share * options.windowMs
    // Room comes as the last window fades; where this one alone is full, only as it fades in its turn.
    if (here + 1 <= max) return left - ((max - 1 - here) / before) * options.windowMs
    return left + (1 - (max - 1) / here) * options.windowMs
  }

  const limit: RateLimit = {
    check(key) {
      const wait = waitMs(key)
      if (wait <= 0) return
      const message = typeof options.message === 'string' ? options.message : options.message(waitWords(wait))
      throw new Problem('too_many_requests', message, { retryAfterSeconds: Math.max(1, wait / 1000) })
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

/** A wait as people say it, rounded up. */
function waitWords(ms: number): string {
  const minutes = Math.ceil(ms / MINUTE_MS)
  if (minutes <= 1) return 'a minute'
  return minutes === 60 ? 'an hour' : `${minutes} minutes`
}
