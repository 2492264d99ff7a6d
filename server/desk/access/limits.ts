import { MINUTE_MS } from '#kernel/time.ts'
import { signInGuard } from '../../identity/index.ts'
import { rateLimit } from '../../platform/rate-limit.ts'

const TRY_LATER = 'Too many attempts. Wait a while and try again.'

/** The desk's rate limits (rules 14), counted in memory on each node. `factor` scales them; undefined disables them. */
export function deskLimits(factor: number | undefined) {
  const limit = (max: number) => rateLimit({ max, windowMs: 15 * MINUTE_MS, factor, message: TRY_LATER })
  return {
    /** Keyed by lower-case e-mail address, known or not, so that hitting the limit reveals nothing. */
    signIns: signInGuard(factor, { perOrigin: 10, perNetwork: 100, perAccount: 50 }),
    /** Wrong codes with a correct password. */
    codes: signInGuard(factor, { perOrigin: 5, perNetwork: 50, perAccount: 15 }),
    /** Wrong codes per invitation. */
    joinCodes: limit(5),
    /** Sign-in links per operator. */
    signInLinks: limit(3),
  }
}

export type DeskLimits = ReturnType<typeof deskLimits>
