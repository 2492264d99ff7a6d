import { dollars, type Usd, usd } from '#kernel/money.ts'
import type { News } from '../notices/index.ts'
import type { DepositRow, WithdrawalRow } from './store.ts'
import { walletOf } from './view.ts'

const money = (cents: bigint) => dollars(usd(cents))
const DEPOSITS = { kind: 'deposit', path: '/user/deposit-log' } as const
const WITHDRAWALS = { kind: 'withdraw', path: '/user/withdraw-log' } as const

/** Notifications to the owner of a deposit. */
export const depositNews = {
  announced: ({ user_id, announced, coin, coin_amount }: DepositRow): News => ({
    ...DEPOSITS,
    userId: user_id,
    title: 'Your deposit was submitted',
    text: `You submitted a deposit of ${money(announced)} (${coin_amount} ${coin}). We'll check the payment and credit it, usually within one business day.`,
  }),
  /** `repaid`: the part that repaid debt. */
  approved({ user_id, announced, credited }: DepositRow, repaid: Usd): News {
    const other =
      credited === announced ? '' : ` You submitted ${money(announced)}, but this is the amount that arrived.`
    const debt = repaid > 0n ? ` ${money(repaid)} of it repaid your debt.` : ''
    return {
      ...DEPOSITS,
      userId: user_id,
      title: 'Your deposit was credited',
      text: `${money(credited ?? 0n)} was credited to your account.${other}${debt}`,
    }
  },
  rejected: ({ user_id, announced, reason }: DepositRow): News => ({
    ...DEPOSITS,
    userId: user_id,
    title: 'Your deposit was rejected',
    text: `Your deposit of ${money(announced)} was not credited. Reason: ${reason}`,
  }),
  /** `owed`: the part that the balance did not cover. */
  reversed: ({ user_id, credited }: DepositRow, amount: Usd, owed: Usd): News => ({
    ...DEPOSITS,
    userId: user_id,
    title: 'A deposit was reversed',
    text: `After a refund or dispute, ${money(amount)} of your ${money(credited ?? 0n)} deposit was reversed.${
      owed > 0n
        ? ` Your balance was ${money(owed)} short, so you owe that amount. Money credited to your account repays it first.`
        : ''
    }`,
  }),
  /** `repaid`: the part that repaid debt. */
  reinstated: ({ user_id, credited }: DepositRow, amount: Usd, repaid: Usd): News => ({
    ...DEPOSITS,
    userId: user_id,
    title: 'A reversed deposit was credited again',
    text: `A refund failed or a dispute was decided in your favor, so ${money(amount)} of your ${money(credited ?? 0n)} deposit was credited again.${
      repaid > 0n ? ` ${money(repaid)} of it repaid your debt.` : ''
    }`,
  }),
} satisfies Record<string, (row: DepositRow, ...more: never[]) => News>

/** Notifications to the owner of a withdrawal. */
export const withdrawalNews = {
  requested: (row: WithdrawalRow): News => ({
    ...WITHDRAWALS,
    userId: row.user_id,
    title: 'Your withdrawal was requested',
    text: `${money(row.amount)} to ${walletOf(row)} is on hold until it's paid, within five business days.`,
  }),
  approved: (row: WithdrawalRow): News => ({
    ...WITHDRAWALS,
    userId: row.user_id,
    title: 'Your withdrawal was approved',
    text: `We're now paying ${money(row.amount)} to ${walletOf(row)}.`,
  }),
  paid: (row: WithdrawalRow): News => ({
    ...WITHDRAWALS,
    userId: row.user_id,
    title: 'Your withdrawal was paid',
    text: `We sent ${money(row.amount)} to ${walletOf(row)}. Reference: ${row.reference}`,
  }),
  /** `repaid`: the part of the released amount that repaid debt. */
  rejected: (row: WithdrawalRow, repaid: Usd): News => ({
    ...WITHDRAWALS,
    userId: row.user_id,
    title: 'Your withdrawal was rejected',
    text: `${released(row, repaid)} Reason: ${row.reason}`,
  }),
  cancelled: (row: WithdrawalRow, repaid: Usd): News => ({
    ...WITHDRAWALS,
    userId: row.user_id,
    title: 'Your withdrawal was cancelled',
    text: `You cancelled it. ${released(row, repaid)}`,
  }),
} satisfies Record<string, (row: WithdrawalRow, ...more: never[]) => News>

function released({ amount }: WithdrawalRow, repaid: Usd): string {
  if (repaid === 0n) return `${money(amount)} is back in your balance.`
  if (repaid === amount) return `${money(amount)} repaid your debt.`
  return `${money(repaid)} repaid your debt, and ${money(amount - repaid)} is back in your balance.`
}
