import type { Usd } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import { lockAnyUser } from '../identity/index.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'

/** A row with its approvals. */
export interface Approved {
  approvals: number
  approved_at: Date | null
}

/** An item with its row locked, and what a decision about it needs. */
export interface Locked {
  approvers: Approver[]
}

export interface Approver {
  operator_id: string
  /** The approved amount of a deposit, in cents. */
  amount: number | null
  at: string
}

/**
 * Locks the owner's row first, as everywhere, so that no other decision about the user runs meanwhile. A closed account's
 * too: a payment can be reversed later.
 */
export const lockOwner = (tx: Tx, table: 'deposits' | 'withdrawals', id: bigint) =>
  lockAnyUser(
    tx,
    table === 'deposits'
      ? sql<bigint>`(select user_id from deposits where id = ${id})`
      : sql<bigint>`(select user_id from withdrawals where id = ${id})`,
  )

export function locked<Row extends { approvers: Approver[] | null }>(row: Row) {
  const approvers = row.approvers ?? []
  const last = approvers.at(-1)
  return { ...row, approvers, approvals: approvers.length, approved_at: last ? new Date(last.at) : null }
}

/** Whether the user has a deposit or withdrawal that needs a decision. */
export async function hasOpenRequest(db: Db | Tx, userId: bigint): Promise<boolean> {
  const { rows } = await sql`
    select from deposits where user_id = ${userId} and status = 'Pending'
    union all
    select from withdrawals where user_id = ${userId} and status in ('Pending', 'Processing') limit 1`.execute(db)
  return rows.length > 0
}

/**
 * Whether the approval of one operator is not enough for an item. Until the transaction ends, their other approvals
 * wait, so that each sees the sum of those before it.
 */
export async function takesTwo(
  tx: Tx,
  operatorId: bigint,
  item: { depositId: bigint; amount: Usd } | { withdrawalId: bigint },
): Promise<boolean> {
  const asked =
    'depositId' in item
      ? sql`deposit_takes_two(${item.depositId}, ${item.amount}, ${operatorId})`
      : sql`withdrawal_takes_two(${item.withdrawalId}, ${operatorId})`
  const { rows } = await sql<{ takes: boolean }>`select ${asked} as takes`.execute(tx)
  return first(rows).takes
}
