import { MINUTE_MS } from '#kernel/time.ts'
import type { RateLimits } from '../platform/http/limits/rate-limit.ts'
import { signInGuard } from './sessions/sign-in-guard.ts'

const HOUR_MS = 60 * MINUTE_MS
const TRY_LATER = 'Too many attempts. Wait a while and try again.'
const MANY_MAILS = "We've already sent you several e-mails. Wait a while before you request another."

/**
 * The rate limits of this room (rules 14).
 */
export function identityLimits(limits: RateLimits) {
  const limit = (name: string, max: number, windowMs: number, message: string) =>
    limits(`identity ${name}`, { max, windowMs, message })
  const mails = (name: string) => limit(`${name} e-mails`, 5, HOUR_MS, MANY_MAILS)
  return {
    passwords: signInGuard(limits, 'identity passwords', { perOrigin: 10, perNetwork: 100, perAccount: 100 }),
    /** An attacker with the password can guess codes, and there are only a million of them. */
    codes: signInGuard(limits, 'identity codes', { perOrigin: 10, perNetwork: 100, perAccount: 30 }),
    /** Attempts that need a session are counted per user, so strangers can't use them up. */
    passwordsWhenSignedIn: limit('signed-in passwords', 10, 15 * MINUTE_MS, TRY_LATER),
    codesWhenSignedIn: limit('signed-in codes', 10, 15 * MINUTE_MS, TRY_LATER),
    registrationsFromNetwork: limit('registrations', 20, HOUR_MS, 'Too many registrations. Try again later.'),
    /** Avatars per user: each is re-encoded, which is expensive. */
    avatars: limits('identity avatars', {
      max: 30,
      windowMs: HOUR_MS,
      message: (wait) => `You've changed your avatar too often. Try again in ${wait}.`,
    }),
    /**
     * Keyed by lower-case e-mail address, known or not, so that hitting the limit reveals nothing. Where strangers can
     * ask, also keyed by their network, so that they can't use up the owner's limit. The total per recipient is
     * limited by the links that still work, or by the e-mail queue.
     */
    mails: {
      confirm: mails('confirmation'),
      reset: mails('reset'),
    },
    /** By address. The link always goes to the owner, so strangers who use this up keep it from nobody. */
    signInLinks: limit('sign-in links', 5, MINUTE_MS, MANY_MAILS),
  }
}

export type IdentityLimits = ReturnType<typeof identityLimits>
