import { MINUTE_MS } from '#kernel/time.ts'
import { rateLimit } from '../platform/rate-limit.ts'
import { signInGuard } from './sign-in-guard.ts'

const HOUR_MS = 60 * MINUTE_MS
const TRY_LATER = 'Too many attempts. Wait a while and try again.'
const MANY_MAILS = 'Several letters are on their way already. Please wait a while before asking for another.'

/** The limits of this room (rules 14), counted in memory on each node. `factor` multiplies them; undefined switches them off. */
export function identityLimits(factor: number | undefined) {
  const limit = (max: number, windowMs: number, message: string) => rateLimit({ max, windowMs, factor, message })
  const perAccount = () => limit(5, HOUR_MS, MANY_MAILS)
  return {
    passwords: signInGuard(factor, { perOrigin: 10, perNetwork: 100, perAccount: 100 }),
    /** Codes are guessed by those who have the password; there are a million of them. */
    codes: signInGuard(factor, { perOrigin: 10, perNetwork: 100, perAccount: 30 }),
    /** What only a signed-in user can get wrong, by user: no stranger can use it up. */
    passwordsWhenSignedIn: limit(10, 15 * MINUTE_MS, TRY_LATER),
    codesWhenSignedIn: limit(10, 15 * MINUTE_MS, TRY_LATER),
    registrationsFromNetwork: limit(20, HOUR_MS, 'Too many registrations. Please try again later.'),
    /** Avatars of one user: each is drawn anew, which is costly. */
    avatars: rateLimit({
      max: 30,
      windowMs: HOUR_MS,
      factor,
      message: (wait) => `You have changed your avatar many times. Please try again in ${wait}.`,
    }),
    /**
     * By e-mail address in lower case, known or not, so that a refusal reveals nothing. Where a stranger can ask, by their
     * network too: they cannot use up the owner's. What a recipient gets in all is bounded where e-mails are queued.
     */
    mails: { confirm: perAccount(), reset: perAccount(), newDevice: perAccount(), signInLink: perAccount() },
  }
}

export type IdentityLimits = ReturnType<typeof identityLimits>
