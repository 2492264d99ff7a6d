import { MINUTE_MS } from '#kernel/time.ts'
import { signInGuard } from '../identity/index.ts'
import { rateLimit } from '../platform/rate-limit.ts'

const TRY_LATER = 'Too many attempts. Wait a while and try again.'

/** The limits of this room (rules 14), counted in memory on each node. `factor` multiplies them; undefined switches them off. */
export function deskLimits(factor: number | undefined) {
  const limit = (max: number) => rateLimit({ max, windowMs: 15 * MINUTE_MS, factor, message: TRY_LATER })
  return {
    /** By e-mail address in lower case, known or not, so that a refusal reveals nothing. */
    signIns: signInGuard(factor, { perOrigin: 10, perNetwork: 100, perAccount: 50 }),
    /** Wrong codes with the right password. */
    codes: signInGuard(factor, { perOrigin: 5, perNetwork: 50, perAccount: 15 }),
    /** Wrong codes by invitation. */
    joinCodes: limit(5),
    /** Sign-in links by operator. */
    signInLinks: limit(3),
  }
}

export type DeskLimits = ReturnType<typeof deskLimits>
