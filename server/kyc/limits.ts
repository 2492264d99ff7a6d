import { MINUTE_MS } from '#kernel/time.ts'
import type { RateLimits } from '../platform/http/limits/rate-limit.ts'

/** The rate limits of this room. */
export const kycLimits = (limits: RateLimits) => ({
  /** Images per user: each is re-encoded, which is expensive. */
  uploads: limits('identity check uploads', {
    max: 20,
    windowMs: 60 * MINUTE_MS,
    message: (wait) => `You've uploaded too many images. Try again in ${wait}.`,
  }),
})

export type KycLimits = ReturnType<typeof kycLimits>
