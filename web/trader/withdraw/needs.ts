import type { WithdrawalRequirements } from '#contract/money/cashier.ts'
import { dollarsOf, formatDateTime, formatUsd, toCents } from '#web/ui/index.ts'

/** A requirement of a withdrawal. */
export interface Need {
  kind: 'email' | 'identity' | 'unlocked' | 'debt' | 'pause'
  done: boolean
  title: string
  /** Its state, and what to do. */
  text: string
}

/**
 * Returns the requirements of a withdrawal in the order to complete them; a lock or a debt is listed only if there is
 * one.
 */
export function needsOf(requirements: WithdrawalRequirements): Need[] {
  const { email_verified, identity, identity_required, locked, owed, pause } = requirements
  return [
    ...(locked
      ? [
          {
            kind: 'unlocked' as const,
            done: false,
            title: 'Contact support to unlock withdrawals',
            text: 'Withdrawals from this account are locked. Contact support.',
          },
        ]
      : []),
    ...(pause ? [pauseNeed(pause)] : []),
    ...(owed > 0
      ? [
          {
            kind: 'debt' as const,
            done: false,
            title: 'Repay your debt',
            text: `You owe ${formatUsd(owed)} after a deposit was reversed. Deposits, winnings and cancelled withdrawals repay it first.`,
          },
        ]
      : []),
    {
      kind: 'email',
      done: email_verified,
      title: 'Confirm your e-mail',
      text: email_verified ? 'Your e-mail is confirmed.' : 'Open the link in the e-mail we sent you.',
    },
    ...(identity_required
      ? [
          {
            kind: 'identity' as const,
            done: identity === 'Approved',
            title: 'Verify your identity',
            text: IDENTITY_TEXT[identity ?? 'none'],
          },
        ]
      : []),
  ]
}

const pauseNeed = ({ until }: NonNullable<WithdrawalRequirements['pause']>): Need =>
  until === null
    ? {
        kind: 'pause',
        done: false,
        title: 'Set a new password by e-mail',
        text: 'You reported that someone else used your account, so withdrawals are frozen. They continue once you sign in with a new password that you set by an e-mailed link.',
      }
    : {
        kind: 'pause',
        done: false,
        title: `Wait until ${formatDateTime(until)}`,
        text: 'Your e-mail address has changed. Withdrawals are paused for 24 hours after that, also those that you requested before.',
      }

const IDENTITY_TEXT = {
  none: 'Upload a photo of your government ID.',
  Pending: "We're reviewing your ID.",
  Rejected: 'Your ID was rejected. Please upload another photo.',
  Approved: 'Your identity is verified.',
} as const

/** Returns the missing requirements as text: `confirm your e-mail, verify your identity`; `''` if nothing is missing. */
export const missingWords = (requirements: WithdrawalRequirements): string =>
  needsOf(requirements)
    .filter((need) => !need.done)
    .map((need) => need.title.toLowerCase())
    .join(', ')

/**
 * Returns the remaining balance, US dollars, computed in cents; `undefined` if the balance doesn't cover the amount. All
 * of it remains while the amount can't be read.
 */
export function remainsOf(balance: number, typed: string): number | undefined {
  const cents = toCents(balance) - toCents(dollarsOf(typed) ?? 0)
  return cents < 0 ? undefined : cents / 100
}
