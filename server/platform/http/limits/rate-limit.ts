import { createHash } from 'node:crypto'
import { Problem } from '#contract/problem.ts'
import { MINUTE_MS } from '#kernel/time.ts'
import type { Bus } from '../../bus/index.ts'

/** Counts events per key within a time window. */
export interface RateLimit {
  /** Throws 429 if the key has used up its window. Counts nothing. */
  check(key: string): void
  /** Counts one. */
  count(key: string): void
  /** Counts one, or throws 429. Call it before the limited work, so that parallel requests can't all pass. */
  take(key: string): void
  /** Refunds one that turned out not to count, such as a correct password. */
  refund(key: string): void
}

interface RateLimitOptions {
  max: number
  windowMs: number
  /** The message of the 429; it may say when to try again: `12 minutes`. */
  message: string | ((wait: string) => string)
  /** Maximum keys counted per window. */
  keysMax?: number
  now?: () => number
}

const KEYS_MAX = 100_000
/** Limits of a shorter window are counted by each node: news of a count would come too late. */
const SHARED_FROM_MS = MINUTE_MS

/** What nodes tell each other of their counts. */
export interface RateLimitTopics {
  counted: { limit: string; key: string; by: 1 | -1 }
}

/** Makes the rate limits of a node. All nodes count a limit of the same name together. */
export type RateLimits = (name: string, options: RateLimitOptions) => RateLimit

/**
 * Returns the maker of this node's rate limits. `factor` multiplies them all; undefined turns them off.
 *
 * Each node keeps all counts in memory, and sends each that it makes to the others at once. Until they hear of it, a
 * burst that is spread over several nodes can exceed a limit by what arrives within a message's way, about ten
 * milliseconds; and a node that has just started counts from zero.
 */
export function openRateLimits(
  factor: number | undefined,
  bus?: Pick<Bus<RateLimitTopics>, 'publishToOthers' | 'subscribe'>,
): RateLimits {
  const shared = new Map<string, CountedLimit>()
  bus?.subscribe('counted', ({ limit, key, by }) => shared.get(limit)?.add(key, by))
  return (name, options) => {
    const limit = countedLimit(options, factor)
    if (!bus || factor === undefined || options.windowMs < SHARED_FROM_MS) return limit
    if (shared.has(name)) throw new Error(`two rate limits are called ${name}`)
    shared.set(name, limit)
    // A fingerprint: short, and nobody's address travels.
    const keyOf = (key: string) => createHash('sha256').update(key).digest('base64url').slice(0, 22)
    const count = (key: string, by: 1 | -1) => {
      limit.add(key, by)
      bus.publishToOthers('counted', { limit: name, key, by })
    }
    return {
      check: (key) => limit.check(keyOf(key)),
      count: (key) => count(keyOf(key), 1),
      take(key) {
        limit.check(keyOf(key))
        count(keyOf(key), 1)
      },
      refund: (key) => count(keyOf(key), -1),
    }
  }
}

interface CountedLimit extends RateLimit {
  add(key: string, by: 1 | -1): void
}

/**
 * Allows at most `max` in any `windowMs`, by the two-window approximation: the previous window counts by the share of
 * it that still lies within. Keys expire with their window, oldest first. When a window is full of keys, new keys are
 * rejected: forgetting a counter that still matters would let an attacker flush it.
 */
function countedLimit(options: RateLimitOptions, factor: number | undefined): CountedLimit {
  const now = options.now ?? (() => performance.now())
  const max = options.max * (factor ?? Number.POSITIVE_INFINITY)
  const keysMax = options.keysMax ?? KEYS_MAX
  let windowStart = now()
  let current = new Map<string, number>()
  let previous = new Map<string, number>()

  /** Starts a new window when the current one is over; returns the share of the previous one that still counts. */
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

  /** Returns the milliseconds until this key has room for one more, at the earliest. */
  function waitMs(key: string): number {
    if (max === Number.POSITIVE_INFINITY) return 0
    const share = turn()
    if (isFullFor(key)) return share * options.windowMs
    const before = previous.get(key) ?? 0
    const here = current.get(key) ?? 0
    return untilRoom({ before, here, max }, share, options.windowMs)
  }

  const isFullFor = (key: string): boolean => current.size >= keysMax && !current.has(key)

  const limit: CountedLimit = {
    add: (key, by) => (by === 1 ? limit.count(key) : limit.refund(key)),
    check(key) {
      const wait = waitMs(key)
      if (wait <= 0) return
      throw tooMany(options.message, wait)
    },
    count(key) {
      if (max === Number.POSITIVE_INFINITY) return
      turn()
      if (isFullFor(key)) return
      current.set(key, (current.get(key) ?? 0) + 1)
    },
    take(key) {
      limit.check(key)
      limit.count(key)
    },
    refund(key) {
      turn()
      // If the window has rotated since, the event fades with the previous one.
      const counts = current.has(key) ? current : previous
      const left = (counts.get(key) ?? 0) - 1
      if (left > 0) counts.set(key, left)
      else counts.delete(key)
    },
  }
  return limit
}

/**
 * Returns the milliseconds until there is room for one more. `share`: how much of the previous window still counts.
 */
function untilRoom(
  { before, here, max }: { before: number; here: number; max: number },
  share: number,
  windowMs: number,
): number {
  const left = share * windowMs
  if (before * share + here + 1 <= max) return 0
  // Room appears as the previous window fades; if the current one alone is full, only as it fades in turn.
  if (here + 1 <= max) return left - ((max - 1 - here) / before) * windowMs
  return left + (1 - (max - 1) / here) * windowMs
}

function tooMany(message: RateLimitOptions['message'], waitMs: number): Problem {
  const text = typeof message === 'string' ? message : message(durationText(waitMs))
  return new Problem('too_many_requests', text, { retryAfterSeconds: Math.max(1, waitMs / 1000) })
}

/** Formats a wait for people, rounded up to minutes. */
function durationText(ms: number): string {
  const minutes = Math.ceil(ms / MINUTE_MS)
  if (minutes <= 1) return 'a minute'
  return minutes === 60 ? 'an hour' : `${minutes} minutes`
}
