import type { WithdrawRequirements } from '#contract/cashier.ts'
import { formatUsd } from '#web/ui/index.ts'

/** A requirement of a withdrawal. */
export interface Need {
  kind: 'email' | 'identity' | 'unlocked' | 'debt'
  done: boolean
  title: string
  /** Its state, and what to do. */
  text: string
}

/**
 * Returns the requirements of a withdrawal in the order to complete them; a lock or a debt is listed only if there is
 * one.
 */
export function needsOf(requirements: WithdrawRequirements): Need[] {
  const { email_verified, identity, identity_required, locked, owed } = requirements
  return [
    ...(locked
      ? [
          {
            kind: 'unlocked' as const,
            done: false,
            title: 'Withdrawals are locked',
            text: 'We have locked the withdrawals of this account. Please contact us.',
          },
        ]
      : []),
    ...(owed > 0
      ? [
          {
            kind: 'debt' as const,
            done: false,
            title: 'Debt repaid',
            text: `You owe ${formatUsd(owed)} after a deposit was reversed. Deposits, winnings and cancelled withdrawals repay it first.`,
          },
        ]
      : []),
    {
      kind: 'email',
      done: email_verified,
      title: 'Confirmed e-mail',
      text: email_verified ? 'Your e-mail is confirmed.' : 'Click the link in the letter that we sent you.',
    },
    ...(identity_required
      ? [
          {
            kind: 'identity' as const,
            done: identity === 'Approved',
            title: 'Approved identity',
            text: IDENTITY_TEXT[identity ?? 'none'],
          },
        ]
      : []),
  ]
}

const IDENTITY_TEXT = {
  none: 'Hand in a picture of your government ID.',
  Pending: 'We are looking at the ID that you handed in.',
  Rejected: 'The ID that you handed in was rejected. Please hand in another picture.',
  Approved: 'Your identity is confirmed.',
} as const

/** Returns the missing requirements as text: `confirmed e-mail, approved identity`; `''` if nothing is missing. */
export const missingWords = (requirements: WithdrawRequirements): string =>
  needsOf(requirements)
    .filter((need) => !need.done)
    .map((need) => need.title.toLowerCase())
    .join(', ')

/**
 * Returns the remaining balance, US dollars, computed in cents; `undefined` if the balance doesn't cover the amount.
 */
export function remainsOf(balance: number, typed: string): number | undefined {
  const amount = Number(typed)
  if (typed.trim() === '' || !Number.isFinite(amount) || amount < 0) return balance
  const cents = Math.round(balance * 100) - Math.round(amount * 100)
  return cents < 0 ? undefined : cents / 100
}
