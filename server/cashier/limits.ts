import { MINUTE_MS } from '#kernel/time.ts'
import { rateLimit } from '../platform/rate-limit.ts'

/** The limits of this room, counted in memory on each node. `factor` multiplies them; undefined switches them off. */
export const cashierLimits = (factor: number | undefined) => ({
  /** Begun by one user: each costs a picture drawn anew or a call to the card provider, and an operator's look. */
  deposits: rateLimit({
    max: 30,
    windowMs: 60 * MINUTE_MS,
    factor,
    message: (wait) => `You have begun many deposits in a short time. Please try again in ${wait}.`,
  }),
})

export type CashierLimits = ReturnType<typeof cashierLimits>
