import type { Deposit, Withdrawal } from '#contract/money/cashier.ts'

/** Returns what is on its way in, and what withdrawals hold until they are paid, US dollars. */
export function sumsOf(
  deposits: readonly Pick<Deposit, 'status' | 'amount'>[],
  withdrawals: readonly Pick<Withdrawal, 'status' | 'amount'>[],
): { onItsWay: number; held: number } {
  const sum = (rows: readonly { status: string; amount: number }[], statuses: readonly string[]) =>
    rows.reduce((cents, { status, amount }) => cents + (statuses.includes(status) ? Math.round(amount * 100) : 0), 0) /
    100
  return { onItsWay: sum(deposits, ['Pending']), held: sum(withdrawals, ['Pending', 'Processing']) }
}
