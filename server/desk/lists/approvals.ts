import type { DeskDeposit } from '#contract/desk/money/deposits.ts'
import { approvalsNeeded } from '../../cashier/index.ts'
import { sql } from '../../platform/database/db.ts'
import { dollars, isoOf, type QueueFilter } from './read.ts'

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

/** The filters of deposits and withdrawals. */
export interface MoneyFilter extends QueueFilter {
  approved?: 'once' | undefined
}

/** Returns the condition for the rows `item` that one operator has approved, if those are asked for. */
export const approvedOnce = (item: 'deposit' | 'withdrawal', { approved }: MoneyFilter) =>
  approved === 'once' &&
  (item === 'deposit'
    ? sql`item.status = 'Pending' and exists (select from deposit_approvals a where a.deposit_id = item.id)`
    : sql`item.status = 'Pending' and exists (select from withdrawal_approvals a where a.withdrawal_id = item.id)`)

const approvedBy = (approvals: readonly ApprovalColumn[]): DeskDeposit['approved_by'] =>
  approvals.map(({ operator_id, email, amount, at }) => ({
    operator_id,
    email,
    at: isoOf(at),
    ...(amount === null ? {} : { amount: dollars(amount) }),
  }))

/** Selects how many people could approve. */
export const financePeopleColumn = sql`(
  select count(distinct email_key_of(o.email))::int from operators o where o.ended_at is null and 'finance' = any(o.roles)
) as finance_people`

/** Returns the approvals of an item of this amount, in cents. */
export function approvalsOf(
  row: {
    status: string
    approved_by: readonly ApprovalColumn[]
    /** Whether this operator's approval alone would not be enough, as far as it's known. */
    takes_two: boolean | null
    two_person_above: number
    finance_people: number
  },
  amount: number,
) {
  const isPending = row.status === 'Pending'
  // Small amounts approved by one operator add up, so that one can take two as well.
  const tookTwo = row.approved_by.length > (isPending ? 0 : 1)
  const needed = tookTwo || row.takes_two ? 2 : approvalsNeeded(BigInt(amount), BigInt(row.two_person_above))
  return {
    approvals: row.approved_by.length,
    approvals_needed: needed,
    approved_by: approvedBy(row.approved_by),
    needs_second_operator: isPending && needed === 2 && row.finance_people < 2,
  }
}
