import type { DeskDeposit } from '#contract/desk/deposits.ts'
import { sql } from '../../platform/database/db.ts'
import { dollars, isoOf } from './read.ts'

/** An approval as a query returns it. `amount` is the approved amount in cents, where one was given. */
export interface ApprovalColumn {
  operator_id: string
  email: string
  at: string
  amount: number | null
}

/**
 * Selects who approved the row `item` of a query, in order. Most rows have no approval, and an `exists` check is
 * cheaper than building an empty list.
 */
export const approvedByColumn = (item: 'deposit' | 'withdrawal') => (item === 'deposit' ? OF_DEPOSIT : OF_WITHDRAWAL)

const OF_DEPOSIT = sql`
  case when exists (select from deposit_approvals a where a.deposit_id = item.id) then (
    select json_agg(json_build_object('operator_id', a.operator_id::text, 'email', o.email, 'at', a.at,
      'amount', a.amount) order by a.at)
    from deposit_approvals a join operators o on o.id = a.operator_id where a.deposit_id = item.id
  ) else '[]' end as approved_by`

const OF_WITHDRAWAL = sql`
  case when exists (select from withdrawal_approvals a where a.withdrawal_id = item.id) then (
    select json_agg(json_build_object('operator_id', a.operator_id::text, 'email', o.email, 'at', a.at,
      'amount', null::bigint) order by a.at)
    from withdrawal_approvals a join operators o on o.id = a.operator_id where a.withdrawal_id = item.id
  ) else '[]' end as approved_by`

export const approvedBy = (approvals: readonly ApprovalColumn[]): DeskDeposit['approved_by'] =>
  approvals.map(({ operator_id, email, amount, at }) => ({
    operator_id,
    email,
    at: isoOf(at),
    ...(amount === null ? {} : { amount: dollars(amount) }),
  }))

/** Whether there is an approval but more are needed: small amounts approved by one operator add up. */
export const waitsForSecond = (row: { status: string; approved_by: readonly ApprovalColumn[] }): boolean =>
  row.status === 'Pending' && row.approved_by.length > 0
