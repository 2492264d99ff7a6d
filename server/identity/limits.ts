import { MINUTE_MS } from '#kernel/time.ts'
import { rateLimit } from '../platform/rate-limit.ts'

const HOUR_MS = 60 * MINUTE_MS
const TRY_LATER = 'Too many tries. Please wait a while and try again.'
const MANY_MAILS = 'Several letters are on their way already. Please wait a while before asking for another.'

/** The limits of this room (rules 14), counted in memory on each node. `factor` multiplies them; undefined switches them off. */
export function identityLimits(factor: number | undefined) {
  const limit = (max: number, windowMs: number, message: string) => rateLimit({ max, windowMs, factor, message })
  const perAccount = () => limit(5, HOUR_MS, MANY_MAILS)
  return {
    failedSignInsOfAccount: limit(10, 15 * MINUTE_MS, TRY_LATER),
    failedSignInsFromAddress: limit(100, 15 * MINUTE_MS, TRY_LATER),
    wrongCodesOfAccount: limit(10, 15 * MINUTE_MS, TRY_LATER),
    registrationsFromAddress: limit(20, HOUR_MS, 'Too many registrations. Please try again later.'),
    /** Avatars of one user: each is drawn anew, which is costly. */
    avatars: rateLimit({
      max: 30,
      windowMs: HOUR_MS,
      factor,
      message: (wait) => `You have changed your avatar many times. Please try again in ${wait}.`,
    }),
    /** By e-mail address in lower case, known or not, so that a refusal tells nothing. */
    mails: { confirm: perAccount(), reset: perAccount(), newDevice: perAccount() },
  }
}

export type IdentityLimits = ReturnType<typeof identityLimits>
