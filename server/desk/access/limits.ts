import { MINUTE_MS } from '#kernel/time.ts'
import { signInGuard } from '../../identity/index.ts'
import type { RateLimits } from '../../platform/http/limits/rate-limit.ts'

const TRY_LATER = 'Too many attempts. Wait a while and try again.'

/** The desk's rate limits (rules 14). */
export function deskLimits(limits: RateLimits) {
  const limit = (name: string, max: number) =>
    limits(`desk ${name}`, { max, windowMs: 15 * MINUTE_MS, message: TRY_LATER })
  return {
    /** Keyed by lower-case e-mail address, known or not, so that hitting the limit reveals nothing. */
    signIns: signInGuard(limits, 'desk sign-ins', { perOrigin: 10, perNetwork: 100, perAccount: 50 }),
    /** Wrong codes with a correct password. */
    codes: signInGuard(limits, 'desk codes', { perOrigin: 5, perNetwork: 50, perAccount: 15 }),
    /** Wrong codes per invitation. */
    joinCodes: limit('join codes', 5),
    /** Wrong passwords and codes of a signed-in operator who changes their own. */
    ownCredentials: limit('own credentials', 10),
    /** By operator. The link always goes to the operator, so strangers who use this up keep it from nobody. */
    signInLinks: limits('desk sign-in links', { max: 5, windowMs: MINUTE_MS, message: TRY_LATER }),
  }
}

export type DeskLimits = ReturnType<typeof deskLimits>
