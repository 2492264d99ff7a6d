import { MINUTE_MS } from '#kernel/time.ts'
import { rateLimit } from '../platform/rate-limit.ts'

/** The cashier's rate limits, counted in memory on each node. `factor` scales them; undefined disables them. */
export const cashierLimits = (factor: number | undefined) => ({
  /**
   * Deposits started per user: each costs an image re-encode or a call to the card provider, and an operator's review.
   */
  deposits: rateLimit({
    max: 30,
    windowMs: 60 * MINUTE_MS,
    factor,
    message: (wait) => `You've started too many deposits. Try again in ${wait}.`,
  }),
})

export type CashierLimits = ReturnType<typeof cashierLimits>
