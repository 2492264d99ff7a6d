import { HOUR_MS, MINUTE_MS } from '#kernel/time.ts'
import type { RateLimit, RateLimits } from '../../platform/http/limits/rate-limit.ts'

export type ChatLimits = ReturnType<typeof chatLimits>

/** How much visitors and traders may write and read. */
export function chatLimits(rateLimits: RateLimits) {
  const limit = (name: string, max: number, windowMs: number) =>
    rateLimits(`chat ${name}`, {
      max,
      windowMs,
      message: 'You are sending messages too quickly. Wait a moment and try again.',
    })
  return {
    words: limit('words', 20, MINUTE_MS),
    wordsFromNetwork: limit('words of a network', 200, 10 * MINUTE_MS),
    /** Everything but messages: state requests, typing, an e-mail address. */
    asksFromNetwork: limit('asks', 300, MINUTE_MS),
    /** A history is up to a thousand times larger than the request for it. */
    histories: limit('histories', 10, MINUTE_MS),
    historiesFromNetwork: limit('histories of a network', 30, MINUTE_MS),
    begun: limit('begun', 20, HOUR_MS),
    mails: limit('e-mails', 6, HOUR_MS),
  }
}

/** Whether a limit allows one more. */
export function isFree(limit: RateLimit, key: string): boolean {
  try {
    limit.check(key)
    return true
  } catch {
    return false
  }
}
