import { MINUTE_MS } from '#kernel/time.ts'
import type { RateLimits } from '../platform/http/limits/rate-limit.ts'

/** The cashier's rate limits. */
export const cashierLimits = (limits: RateLimits) => ({
  /**
   * Deposits started per user: each costs an image re-encode or a call to the card provider, and an operator's review.
   */
  deposits: limits('deposits', {
    max: 30,
    windowMs: 60 * MINUTE_MS,
    message: (wait) => `You've started too many deposits. Try again in ${wait}.`,
  }),
})

export type CashierLimits = ReturnType<typeof cashierLimits>
