import { MINUTE_MS } from '#kernel/time.ts'
import { rateLimit } from '../platform/rate-limit.ts'

const TRY_LATER = 'Too many tries. Please wait a while and try again.'

/** The limits of this room (rules 14), counted in memory on each node. `factor` multiplies them; undefined switches them off. */
export function deskLimits(factor: number | undefined) {
  const limit = (max: number) => rateLimit({ max, windowMs: 15 * MINUTE_MS, factor, message: TRY_LATER })
  return {
    /** By e-mail address in lower case, known or not, so that a refusal tells nothing. */
    failedSignInsOfAccount: limit(10),
    failedSignInsFromAddress: limit(100),
    /** Wrong codes, by operator or invitation. */
    codes: limit(5),
  }
}

export type DeskLimits = ReturnType<typeof deskLimits>
