import { type Endpoint, WRITES } from '#contract/endpoint.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#kernel/time.ts'
import type { Who, WhoOperates } from '../handler.ts'
import { networkOf } from './network.ts'
import type { RateLimits } from './rate-limit.ts'

const WINDOW_MS = { second: SECOND_MS, minute: MINUTE_MS, hour: HOUR_MS }

/**
 * Returns what counts an endpoint's calls by trader or operator, or by network for visitors, and throws 429 beyond the
 * endpoint's limit. Undefined if it has none. Visitors' calls have none unless they state one: a network has its budget,
 * and rooms limit what visitors write.
 */
export function callerLimit(
  name: string,
  { access, limit = name.startsWith('GET ') || access === 'visitor' ? undefined : WRITES }: Endpoint,
  rateLimits: RateLimits,
): ((who: Who | WhoOperates | undefined, ip: string) => void) | undefined {
  if (!limit) return undefined
  const { max, per, message = (wait) => `You did this too often. Try again in ${wait}.` } = limit
  const calls = rateLimits(`calls of ${name}`, { max, windowMs: WINDOW_MS[per], message })
  return (who, ip) => {
    if (access === 'visitor') calls.take(networkOf(ip))
    else if (who) calls.take(String('userId' in who ? who.userId : who.operatorId))
  }
}
