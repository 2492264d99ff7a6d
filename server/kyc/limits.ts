import { MINUTE_MS } from '#kernel/time.ts'
import { rateLimit } from '../platform/rate-limit.ts'

/** The rate limits of this room, counted in memory on each node. `factor` scales them; undefined disables them. */
export const kycLimits = (factor: number | undefined) => ({
  /** Images per user: each is re-encoded, which is expensive. */
  uploads: rateLimit({
    max: 20,
    windowMs: 60 * MINUTE_MS,
    factor,
    message: (wait) => `You've uploaded too many images. Try again in ${wait}.`,
  }),
})

export type KycLimits = ReturnType<typeof kycLimits>
