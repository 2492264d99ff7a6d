import { dollars, subtract, type Usd, ZERO_USD } from '#kernel/money.ts'
import type { News } from '../notices/index.ts'
import type { DepositRow } from './deposits/store.ts'
import { walletOf } from './view.ts'
import type { WithdrawalRow } from './withdrawals/store.ts'

const DEPOSITS = { kind: 'deposit', path: '/user/deposit-log' } as const
const WITHDRAWALS = { kind: 'withdraw', path: '/user/withdraw-log' } as const

/** Notifications to the owner of a deposit. */
export const depositNews = {
  submitted: ({ user_id, submitted, coin, coin_amount }: DepositRow): News => ({
    ...DEPOSITS,
    userId: user_id,
    title: 'Your deposit was submitted',
    text: `You submitted a deposit of ${dollars(submitted)} (${coin_amount} ${coin}). We'll check the payment and credit it, usually within one business day.`,
  }),
  /** `repaid`: the part that repaid debt. */
  approved({ user_id, submitted, credited }: DepositRow, repaid: Usd): News {
    const other =
      credited === submitted ? '' : ` You submitted ${dollars(submitted)}, but this is the amount that arrived.`
    const debt = repaid > 0n ? ` ${dollars(repaid)} of it repaid your debt.` : ''
    return {
      ...DEPOSITS,
      userId: user_id,
      title: 'Your deposit was credited',
      text: `${dollars(credited ?? ZERO_USD)} was credited to your account.${other}${debt}`,
    }
  },
  rejected: ({ user_id, submitted, reason }: DepositRow): News => ({
    ...DEPOSITS,
    userId: user_id,
    title: 'Your deposit was rejected',
    text: `Your deposit of ${dollars(submitted)} was not credited. Reason: ${reason}`,
  }),
  /** `owed`: the part that the balance did not cover. */
  reversed: ({ user_id, credited }: DepositRow, amount: Usd, owed: Usd): News => ({
    ...DEPOSITS,
    userId: user_id,
    title: 'A deposit was reversed',
    text: `After a refund or dispute, ${dollars(amount)} of your ${dollars(credited ?? ZERO_USD)} deposit was reversed.${
      owed > 0n
        ? ` Your balance was ${dollars(owed)} short, so you owe that amount. Money credited to your account repays it first.`
        : ''
    }`,
  }),
  /** `repaid`: the part that repaid debt. */
  reinstated: ({ user_id, credited }: DepositRow, amount: Usd, repaid: Usd): News => ({
    ...DEPOSITS,
    userId: user_id,
    title: 'A reversed deposit was credited again',
    text: `A refund failed or a dispute was decided in your favor, so ${dollars(amount)} of your ${dollars(credited ?? ZERO_USD)} deposit was credited again.${
      repaid > 0n ? ` ${dollars(repaid)} of it repaid your debt.` : ''
    }`,
  }),
} satisfies Record<string, (row: DepositRow, ...more: never[]) => News>

/** Notifications to the owner of a withdrawal. */
export const withdrawalNews = {
  requested: (row: WithdrawalRow): News => ({
    ...WITHDRAWALS,
    userId: row.user_id,
    title: 'Your withdrawal was requested',
    text: `${dollars(row.amount)} to ${walletOf(row)} is on hold until it's paid, within five business days.`,
  }),
  approved: (row: WithdrawalRow): News => ({
    ...WITHDRAWALS,
    userId: row.user_id,
    title: 'Your withdrawal was approved',
    text: `We're now paying ${dollars(row.amount)} to ${walletOf(row)}.`,
  }),
  paid: (row: WithdrawalRow): News => ({
    ...WITHDRAWALS,
    userId: row.user_id,
    title: 'Your withdrawal was paid',
    text: `We sent ${dollars(row.amount)}${row.rate === null ? '' : ` (${row.coin_amount} ${row.coin})`} to ${walletOf(row)}. ${row.coin === null ? 'Reference' : 'Transaction'}: ${row.reference}`,
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
  if (repaid === 0n) return `${dollars(amount)} is back in your balance.`
  if (repaid === amount) return `${dollars(amount)} repaid your debt.`
  return `${dollars(repaid)} repaid your debt, and ${dollars(subtract(amount, repaid))} is back in your balance.`
}
