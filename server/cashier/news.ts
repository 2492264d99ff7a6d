import { type Usd, usd, usdGrouped } from '#kernel/money.ts'
import type { News } from '../notices/index.ts'
import type { DepositRow, WithdrawalRow } from './store.ts'
import { walletOf } from './view.ts'

const money = (cents: bigint) => `${usdGrouped(usd(cents))} USD`
const DEPOSITS = { kind: 'deposit', path: '/user/deposit-log' } as const
const WITHDRAWALS = { kind: 'withdraw', path: '/user/withdraw-log' } as const

/** What the owner of a deposit is told about it. */
export const depositNews = {
  announced: ({ user_id, announced, coin, coin_amount }: DepositRow): News => ({
    ...DEPOSITS,
    userId: user_id,
    title: 'Your deposit was recorded',
    text: `You announced ${money(announced)} (${coin_amount} ${coin}). An operator checks what arrived and credits it, usually within one business day.`,
  }),
  /** `repaid`: the part that paid a debt back. */
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
} satisfies Record<string, (row: DepositRow, ...more: never[]) => News>

/** What the owner of a withdrawal is told about it. */
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
  rejected: (row: WithdrawalRow): News => ({
    ...WITHDRAWALS,
    userId: row.user_id,
    title: 'Your withdrawal was rejected',
    text: `${money(row.amount)} are back in your balance. The reason: ${row.reason}`,
  }),
  cancelled: (row: WithdrawalRow): News => ({
    ...WITHDRAWALS,
    userId: row.user_id,
    title: 'Your withdrawal was cancelled',
    text: `You cancelled it. ${money(row.amount)} are back in your balance.`,
  }),
} satisfies Record<string, (row: WithdrawalRow) => News>
