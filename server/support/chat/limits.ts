import { HOUR_MS, MINUTE_MS } from '#kernel/time.ts'
import { networkOf } from '../../platform/http/limits/network.ts'
import type { RateLimit, RateLimits } from '../../platform/http/limits/rate-limit.ts'
import type { Speaker } from '../../platform/sockets/socket-messages.ts'

export type ChatLimits = ReturnType<typeof chatLimits>

/**
 * How much visitors and traders may write and read. Limits of a sender count visitors by their network and traders by
 * their account, so that strangers on a network don't silence its traders.
 */
export function chatLimits(rateLimits: RateLimits) {
  const limit = (name: string, max: number, windowMs: number) =>
    rateLimits(`chat ${name}`, {
      max,
      windowMs,
      message: 'You are sending messages too quickly. Wait a moment and try again.',
    })
  return {
    words: limit('words', 20, MINUTE_MS),
    wordsOfSender: limit('words of a sender', 200, 10 * MINUTE_MS),
    /** Everything but messages: state requests, typing, an e-mail address. */
    asksOfSender: limit('asks', 300, MINUTE_MS),
    /** A history is up to a thousand times larger than the request for it. */
    histories: limit('histories', 10, MINUTE_MS),
    historiesOfSender: limit('histories of a sender', 30, MINUTE_MS),
    begun: limit('begun', 20, HOUR_MS),
    mails: limit('e-mails', 6, HOUR_MS),
  }
}

/** Returns what the limits of a sender count someone by. */
export const senderOf = ({ userId, ip }: Pick<Speaker, 'userId' | 'ip'>): string =>
  userId === undefined ? networkOf(ip) : `user ${userId}`

/** Whether a limit allows one more. */
export function isFree(limit: RateLimit, key: string): boolean {
  try {
    limit.check(key)
    return true
  } catch {
    return false
  }
}
