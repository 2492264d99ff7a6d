import { publicId } from '#kernel/id.ts'
import { dollars, subtract, type Usd, ZERO_USD } from '#kernel/money.ts'
import type { News } from '../notices/index.ts'
import type { DepositRow } from './deposits/store.ts'
import { walletOf } from './view.ts'
import type { WithdrawalRow } from './withdrawals/store.ts'

/** To the owner of a deposit, leading to its details. */
const toOwnerOfDeposit = ({ id, user_id }: DepositRow) =>
  ({ kind: 'deposit', userId: user_id, path: `/user/deposit-log?deposit=${publicId(id)}` }) as const

/** To the owner of a withdrawal, leading to its details. */
const toOwnerOfWithdrawal = ({ id, user_id }: WithdrawalRow) =>
  ({ kind: 'withdraw', userId: user_id, path: `/user/withdraw-log?withdrawal=${publicId(id)}` }) as const

/** Notifications to the owner of a deposit. */
export const depositNews = {
  submitted: (row: DepositRow): News => ({
    ...toOwnerOfDeposit(row),
    title: 'Your deposit was submitted',
    text: `You submitted a deposit of ${dollars(row.submitted)} (${row.coin_amount} ${row.coin}). We'll check the payment and credit it, usually within one business day.`,
  }),
  /** `repaid`: the part that repaid debt. */
  approved(row: DepositRow, repaid: Usd): News {
    const { submitted, credited } = row
    const other =
      credited === submitted ? '' : ` You submitted ${dollars(submitted)}, but this is the amount that arrived.`
    const debt = repaid > 0n ? ` ${dollars(repaid)} of it repaid your debt.` : ''
    return {
      ...toOwnerOfDeposit(row),
      title: 'Your deposit was credited',
      text: `${dollars(credited ?? ZERO_USD)} was credited to your account.${other}${debt}`,
    }
  },
  rejected: (row: DepositRow): News => ({
    ...toOwnerOfDeposit(row),
    title: 'Your deposit was rejected',
    text: `Your deposit of ${dollars(row.submitted)} was not credited. Reason: ${row.reason}`,
  }),
  /** `owed`: the part that the balance did not cover. */
  reversed: (row: DepositRow, amount: Usd, owed: Usd): News => ({
    ...toOwnerOfDeposit(row),
    title: 'A deposit was reversed',
    text: `After a refund or dispute, ${dollars(amount)} of your ${dollars(row.credited ?? ZERO_USD)} deposit was reversed.${
      owed > 0n
        ? ` Your balance was ${dollars(owed)} short, so you owe that amount. Money credited to your account repays it first.`
        : ''
    }`,
  }),
  /** `repaid`: the part that repaid debt. */
  reinstated: (row: DepositRow, amount: Usd, repaid: Usd): News => ({
    ...toOwnerOfDeposit(row),
    title: 'A reversed deposit was credited again',
    text: `A refund failed or a dispute was decided in your favor, so ${dollars(amount)} of your ${dollars(row.credited ?? ZERO_USD)} deposit was credited again.${
      repaid > 0n ? ` ${dollars(repaid)} of it repaid your debt.` : ''
    }`,
  }),
} satisfies Record<string, (row: DepositRow, ...more: never[]) => News>

/** Notifications to the owner of a withdrawal. */
export const withdrawalNews = {
  requested: (row: WithdrawalRow): News => ({
    ...toOwnerOfWithdrawal(row),
    title: 'Your withdrawal was requested',
    text: `${dollars(row.amount)} to ${walletOf(row)} is on hold until it's paid, within five business days.`,
  }),
  approved: (row: WithdrawalRow): News => ({
    ...toOwnerOfWithdrawal(row),
    title: 'Your withdrawal was approved',
    text: `We're now paying ${dollars(row.amount)} to ${walletOf(row)}.`,
  }),
  paid: (row: WithdrawalRow): News => ({
    ...toOwnerOfWithdrawal(row),
    title: 'Your withdrawal was paid',
    text: `We sent ${dollars(row.amount)}${row.rate === null ? '' : ` (${row.coin_amount} ${row.coin})`} to ${walletOf(row)}. ${row.coin === null ? 'Reference' : 'Transaction'}: ${row.reference}`,
  }),
  /** `repaid`: the part of the released amount that repaid debt. */
  rejected: (row: WithdrawalRow, repaid: Usd): News => ({
    ...toOwnerOfWithdrawal(row),
    title: 'Your withdrawal was rejected',
    text: `${released(row, repaid)} Reason: ${row.reason}`,
  }),
  cancelled: (row: WithdrawalRow, repaid: Usd): News => ({
    ...toOwnerOfWithdrawal(row),
    title: 'Your withdrawal was cancelled',
    text: `You cancelled it. ${released(row, repaid)}`,
  }),
} satisfies Record<string, (row: WithdrawalRow, ...more: never[]) => News>

function released({ amount }: WithdrawalRow, repaid: Usd): string {
  if (repaid === 0n) return `${dollars(amount)} is back in your balance.`
  if (repaid === amount) return `${dollars(amount)} repaid your debt.`
  return `${dollars(repaid)} repaid your debt, and ${dollars(subtract(amount, repaid))} is back in your balance.`
}
