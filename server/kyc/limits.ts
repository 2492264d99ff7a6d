import { MINUTE_MS } from '#kernel/time.ts'
import { rateLimit } from '../platform/rate-limit.ts'

/** The limits of this room, counted in memory on each node. `factor` multiplies them; undefined switches them off. */
export const kycLimits = (factor: number | undefined) => ({
  /** Pictures of one user: each is drawn anew, which is costly. */
  uploads: rateLimit({
    max: 20,
    windowMs: 60 * MINUTE_MS,
    factor,
    message: (wait) => `You have sent many pictures in a short time. Please try again in ${wait}.`,
  }),
})

export type KycLimits = ReturnType<typeof kycLimits>
