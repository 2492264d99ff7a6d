import { type Usd, usd, usdGrouped } from '#kernel/money.ts'
import type { News } from '../notices/index.ts'
import type { DepositRow, WithdrawalRow } from './store.ts'
import { walletOf } from './view.ts'

const money = (cents: bigint) => `${usdGrouped(usd(cents))} USD`
const DEPOSITS = { kind: 'deposit', path: '/user/deposit-log' } as const
const WITHDRAWALS = { kind: 'withdraw', path: '/user/withdraw-log' } as const

/** Notifications to the owner of a deposit. */
export const depositNews = {
  announced: ({ user_id, announced, coin, coin_amount }: DepositRow): News => ({
    ...DEPOSITS,
    userId: user_id,
    title: 'Your deposit was recorded',
    text: `You announced ${money(announced)} (${coin_amount} ${coin}). An operator checks what arrived and credits it, usually within one business day.`,
  }),
  /** `repaid`: the part that repaid debt. */
  approved({ user_id, announced, credited }: DepositRow, repaid: Usd): News {
    const other = credited === announced ? '' : ` You had announced ${money(announced)}; this is what arrived.`
    const debt = repaid > 0n ? ` ${money(repaid)} of it paid back what you owed.` : ''
    return {
      ...DEPOSITS,
      userId: user_id,
      title: 'Your deposit was credited',
      text: `${money(credited ?? 0n)} were credited.${other}${debt}`,
    }
  },
  rejected: ({ user_id, announced, reason }: DepositRow): News => ({
    ...DEPOSITS,
    userId: user_id,
    title: 'Your deposit was rejected',
    text: `Your deposit of ${money(announced)} was not credited. The reason: ${reason}`,
  }),
  /** `owed`: the part that the balance did not cover. */
  reversed: ({ user_id, credited }: DepositRow, amount: Usd, owed: Usd): News => ({
    ...DEPOSITS,
    userId: user_id,
    title: 'A deposit was taken back',
    text: `After a refund or dispute ${money(amount)} of your deposit of ${money(credited ?? 0n)} were taken back.${
      owed > 0n
        ? ` Your balance did not cover ${money(owed)} of it: you owe them, and what is credited next repays them first.`
        : ''
    }`,
  }),
  /** `repaid`: the part that repaid debt. */
  reinstated: ({ user_id, credited }: DepositRow, amount: Usd, repaid: Usd): News => ({
    ...DEPOSITS,
    userId: user_id,
    title: 'A reversed deposit was credited again',
    text: `A refund failed or a dispute was decided in your favor, so ${money(amount)} of your deposit of ${money(credited ?? 0n)} was credited again.${
      repaid > 0n ? ` ${money(repaid)} of it repaid what you owed.` : ''
    }`,
  }),
} satisfies Record<string, (row: DepositRow, ...more: never[]) => News>

/** Notifications to the owner of a withdrawal. */
export const withdrawalNews = {
  requested: (row: WithdrawalRow): News => ({
    ...WITHDRAWALS,
    userId: row.user_id,
    title: 'Your withdrawal was requested',
    text: `${money(row.amount)} to ${walletOf(row)} are set aside until they are paid, within five business days.`,
  }),
  approved: (row: WithdrawalRow): News => ({
    ...WITHDRAWALS,
    userId: row.user_id,
    title: 'Your withdrawal was approved',
    text: `${money(row.amount)} to ${walletOf(row)} are being paid now.`,
  }),
  paid: (row: WithdrawalRow): News => ({
    ...WITHDRAWALS,
    userId: row.user_id,
    title: 'Your withdrawal was paid',
    text: `${money(row.amount)} were sent to ${walletOf(row)}. The reference: ${row.reference}`,
  }),
  /** `repaid`: the part of the released amount that repaid debt. */
  rejected: (row: WithdrawalRow, repaid: Usd): News => ({
    ...WITHDRAWALS,
    userId: row.user_id,
    title: 'Your withdrawal was rejected',
    text: `${released(row, repaid)} The reason: ${row.reason}`,
  }),
  cancelled: (row: WithdrawalRow, repaid: Usd): News => ({
    ...WITHDRAWALS,
    userId: row.user_id,
    title: 'Your withdrawal was cancelled',
    text: `You cancelled it. ${released(row, repaid)}`,
  }),
} satisfies Record<string, (row: WithdrawalRow, ...more: never[]) => News>

function released({ amount }: WithdrawalRow, repaid: Usd): string {
  if (repaid === 0n) return `${money(amount)} are back in your balance.`
  if (repaid === amount) return `${money(amount)} repaid what you owed.`
  return `${money(repaid)} repaid what you owed, and ${money(amount - repaid)} is back in your balance.`
}
