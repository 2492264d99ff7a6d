import { DeskDeposit, type depositCalls } from '#contract/desk/money/deposits.ts'
import { Problem } from '#contract/problem.ts'
import { publicId } from '#kernel/id.ts'
import { usdToText } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import { toIso } from '#kernel/time.ts'
import {
  approveDeposit,
  closeCheckout,
  closeUncredited,
  type DepositDone,
  depositById,
  followAssigned,
  paymentProofOf,
  rateUntil,
  recordArrival,
  rejectDeposit,
  revokeDepositApproval,
  standingOfDeposit,
} from '../../../cashier/index.ts'
import { sql } from '../../../platform/database/db.ts'
import type { WhoOperates } from '../../../platform/http/index.ts'
import { claim } from '../../actions/act.ts'
import {
  auditedItem,
  type ClaimColumns,
  claimJoin,
  findItem,
  itemFields,
  notFound,
  type Owner,
  withOwners,
} from '../../actions/items.ts'
import { audited } from '../../audit/audited.ts'
import type { DeskDeps } from '../../deps.ts'
import {
  type ApprovalColumn,
  approvalsOf,
  approvedByColumn,
  approvedOnce,
  financePeopleColumn,
  type MoneyFilter,
} from '../../lists/approvals.ts'
import { personFlags } from '../../lists/flags.ts'
import { type PaymentProofColumns, paymentProofColumns, paymentProofFlags } from '../../lists/money-flags.ts'
import { dollars, filtered, hasStatus, inOrder, isoOf, type List, type Page, where } from '../../lists/read.ts'
import { type Claimed, person } from '../queue.ts'

interface UncreditedColumn {
  payment: string
  amount: number
  at: string
  operator_id: string | null
  email: string | null
  closed_at: string | null
  reason: string | null
}

const uncreditedColumn = sql`
  case when exists (select from uncredited_payments p where p.deposit_id = item.id) then (
    select json_agg(json_build_object('payment', p.payment, 'amount', p.amount, 'at', p.at, 'operator_id', o.id::text,
      'email', o.email, 'closed_at', p.closed_at, 'reason', p.closed_reason) order by p.at)
    from uncredited_payments p left join operators o on o.id = p.closed_by where p.deposit_id = item.id
  ) else '[]' end as uncredited_payments`

/** Open are those of the open status, and those with a payment that awaits its refund. */
const isOpen = (statuses: readonly string[]) => sql`item.id in (
  select d.id from deposits d where ${hasStatus(sql`d.status`, statuses)}
  union all select p.deposit_id from uncredited_payments p where p.closed_at is null and p.deposit_id is not null
)`

interface DepositRow extends ClaimColumns, PaymentProofColumns {
  id: string
  user_id: string
  created_at: string
  method: DeskDeposit['method']
  coin: DeskDeposit['currency']
  submitted: number
  credited: number | null
  reversed: number
  coin_amount: number | null
  rate: string | null
  address: string | null
  /** Whether coins of traders go to another address since. */
  address_replaced: boolean
  requested_at: string | null
  arrival: {
    transaction_id: string
    coins: number
    arrived_at: string
    rate: string
    amount: number
    operator_id: string
    email: string
    at: string
    also: string | null
  } | null
  status: DeskDeposit['status']
  reason: string | null
  has_proof: boolean
  assigned: boolean
  decided_at: string | null
  uncredited_payments: UncreditedColumn[]
  approved_by: ApprovalColumn[]
  takes_two: boolean | null
  rejection: { operator_id: string; email: string; reason: string; at: string } | null
  two_person_above: number
  finance_people: number
}

/** Selects the proposal to reject the deposit, while it waits for a second operator. */
const rejectionColumn = sql`
  case when item.status = 'Pending' then (
    select json_build_object('operator_id', o.id::text, 'email', o.email, 'reason', p.reason, 'at', p.proposed_at)
    from proposals p join operators o on o.id = p.proposed_by
    where p.kind = 'deposit-rejections' and p.subject = item.id::text and p.status = 'Pending'
  ) end as rejection`

/** Selects what arrived, who recorded it, and another trader whose deposit the same transaction paid. */
const arrivalColumn = sql`(
  select json_build_object('transaction_id', a.transaction_id, 'coins', a.coins, 'arrived_at', a.arrived_at, 'rate', a.rate::text,
    'amount', a.amount, 'operator_id', o.id::text, 'email', o.email, 'at', a.at, 'also', (
      select u.email from deposit_arrivals b join users u on u.id = b.user_id
      where b.coin = a.coin and b.transaction_id = a.transaction_id and b.user_id <> a.user_id order by b.at limit 1
    ))
  from deposit_arrivals a join operators o on o.id = a.operator_id where a.deposit_id = item.id
) as arrival`

/** Selects deposits, newest first. */
export const depositRows = (filter: MoneyFilter, page: Page, who: WhoOperates): List<DepositRow> => sql`
  with item as materialized (
    select * from deposits item
    where ${where(
      approvedOnce('deposit', filter),
      typeof filter.status === 'object'
        ? where(isOpen(filter.status), filtered('item', { ...filter, status: undefined }, page))
        : filtered('item', filter, page),
    )}
    ${inOrder('item.id', page)}
  )
  select item.id::text, item.user_id::text, item.created_at, item.method,
    item.coin, item.submitted, item.credited, item.reversed, item.coin_amount, item.rate::text, item.address, item.requested_at,
    item.status = 'Pending' and exists (
      select from cashier_settings where case item.coin when 'BTC' then btc_address <> item.address
        else lower(eth_address) <> lower(item.address) end
    ) as address_replaced,
    ${arrivalColumn}, item.status, item.reason,
    item.receipt is not null as has_proof, exists (select from unknown_deposits u where u.deposit_id = item.id) as assigned, item.decided_at, ${uncreditedColumn}, ${approvedByColumn('deposit')},
    two.takes_two,
    ${rejectionColumn},
    (select deposit_two_person_above from cashier_settings) as two_person_above, ${financePeopleColumn},
    ${paymentProofColumns}, claim.*
  from item ${claimJoin('deposits', 'item.id')}
  left join deposits_would_take_two(array(
    select id from item where status = 'Pending' and (method = 'crypto' or provider_reference is not null)
  ), ${who.operatorId}) two on two.deposit = item.id
  ${inOrder('item.id', page)}`

function arrivalOf(arrival: NonNullable<DepositRow['arrival']>): DeskDeposit['arrival'] {
  const { transaction_id, coins, arrived_at, rate, amount, operator_id, email, at } = arrival
  return {
    transaction_id,
    coin_amount: coins,
    time: isoOf(arrived_at),
    rate,
    amount: dollars(amount),
    by: { operator_id, email },
    at: isoOf(at),
  }
}

function toDeskDeposit(who: WhoOperates, row: DepositRow & Owner): DeskDeposit {
  const id = publicId(BigInt(row.id))
  const { dueBy } = standingOfDeposit({
    status: row.status,
    method: row.method,
    createdAt: Date.parse(row.created_at),
    approvals: row.approved_by.length,
    approvedAt: undefined,
    decidedAt: undefined,
  })
  const amount = row.approved_by[0]?.amount ?? row.credited ?? row.submitted
  return {
    ...itemFields(who, row, id),
    flags: [
      ...(row.uncredited_payments.some((one) => one.closed_at === null) ? ["Paid by card, but can't be credited"] : []),
      ...paymentProofFlags(row),
      ...(row.assigned ? ['Assigned by an operator, without a payment proof of the trader'] : []),
      ...(row.address_replaced ? ['Sent to an address that has been replaced since'] : []),
      ...(row.arrival?.also ? [`The same transaction paid a deposit of ${row.arrival.also}`] : []),
      ...personFlags(row),
    ],
    method: row.method,
    currency: row.coin,
    usd_amount: dollars(row.submitted),
    coin_amount: row.coin_amount,
    rate: row.rate,
    address: row.address,
    ...(row.coin === null || row.requested_at === null ? {} : { rate_until: rateUntil(new Date(row.requested_at)) }),
    arrival: row.arrival && arrivalOf(row.arrival),
    ...(row.credited === null ? {} : { amount: dollars(row.credited) }),
    status: row.status,
    ...(row.reason === null ? {} : { reason: row.reason }),
    rejection: row.rejection && { ...row.rejection, at: isoOf(row.rejection.at) },
    assigned: row.assigned,
    receipt_url: row.has_proof ? `/api/desk/deposits/${id}/receipt` : null,
    ...approvalsOf(row, amount),
    ...(dueBy === undefined ? {} : { due_by: toIso(dueBy) }),
    uncredited_payments: row.uncredited_payments.map(({ payment, amount: paid, at, ...closed }) => ({
      payment,
      amount: dollars(paid),
      at: isoOf(at),
      closed:
        closed.closed_at === null
          ? null
          : {
              operator_id: must(closed.operator_id),
              email: must(closed.email),
              at: isoOf(closed.closed_at),
              reason: must(closed.reason),
            },
    })),
    ...(row.reversed === 0 ? {} : { reversed: dollars(row.reversed) }),
  }
}

/** Deposits: the operator enters the amount received. Above the limit, two operators must enter the same. */
export const deposits: Claimed<'deposits', keyof typeof depositCalls, DepositRow & Owner> = {
  name: 'deposits',
  schema: DeskDeposit,
  find: (id) => sql`
    select u.id as "userId", u.email, d.status = 'Pending' or exists (
      select from uncredited_payments p where p.deposit_id = d.id and p.closed_at is null
    ) as open
    from deposits d join users u on u.id = d.user_id where d.id = ${id}`,
  pending: sql`
    select id, created_at, submitted, user_id, exists (select from deposit_approvals a where a.deposit_id = deposits.id),
      coalesce(coalesce(trim_scale(coin_amount) || ' ', '') || coin::text, 'an assigned card payment')
    from deposits where status = 'Pending' and (method = 'crypto' or provider_reference is not null)
    union all
    select deposit_id, min(p.at), sum(p.amount), d.user_id, false, 'a card payment to refund'
    from uncredited_payments p join deposits d on d.id = p.deposit_id where p.closed_at is null group by deposit_id, d.user_id`,
  rows: (filter: MoneyFilter, page, who) => withOwners(depositRows(filter, page, who), page),
  view: (row, who) => toDeskDeposit(who, row),
  actions: {
    approve: {
      async step(tx, { id }, { deps, who, body: { amount } }) {
        const done = await approveDeposit(deps.cashier, tx, { depositId: id, operator: person(who), amount })
        await followAssigned(deps.cashier, tx, done.after)
        const { before, after } = stepOf(done)
        return { before, after: { ...after, amount: usdToText(amount) } }
      },
    },
    arrival: {
      keeps: true,
      async step(tx, { id }, { deps, who, body }) {
        const { before, after } = await recordArrival(deps.cashier, tx, {
          depositId: id,
          operator: person(who),
          uncheckedTransactionId: body.transaction_id,
          coins: body.coin_amount,
          arrivedAt: Date.parse(body.arrived_at),
        })
        return { before: { arrival: before.arrival }, after: { arrival: after.arrival } }
      },
    },
    'withdraw-approval': {
      step: async (tx, { id }, { deps, who }) =>
        stepOf(await revokeDepositApproval(deps.cashier, tx, { depositId: id, operator: person(who) })),
    },
    reject: {
      prepare: closeOpenCheckout,
      async step(tx, { id }, { deps, who, body: { reason } }) {
        const done = await rejectDeposit(deps.cashier, tx, { depositId: id, operator: person(who), reason })
        const why = done.after.reason ?? reason
        return { ...stepOf(done), why, ...(done.step === 'rejected' ? {} : { action: REJECTION_STEP[done.step] }) }
      },
    },
    'close-payments': {
      async step(tx, { id }, { who, body: { reason } }) {
        const payments = await closeUncredited(tx, { depositId: id, operator: person(who), reason })
        if (payments === 0) throw new Problem('wrong_state', 'No card payment of this deposit awaits a refund.')
        return { before: { open_payments: payments }, after: { open_payments: 0 }, why: reason }
      },
    },
  },
}

/** What the audit log calls the steps of a rejection by two. */
const REJECTION_STEP = { proposed: 'propose-rejection', completed: 'complete-rejection' } as const

function stepOf({ before, after }: DepositDone) {
  const state = (row: DepositDone['after']) => ({
    status: row.status,
    approvals: row.approvals,
    reversed: usdToText(row.reversed),
  })
  return { before: state(before), after: state(after) }
}

/**
 * Closes the checkout of a card deposit before the rejection. Runs outside a transaction because the provider may take
 * seconds. The claim comes first, so only the operator who may reject the deposit can close its checkout.
 */
async function closeOpenCheckout(deps: DeskDeps, who: WhoOperates, id: bigint): Promise<void> {
  const deposit = await depositById(deps.db, id)
  if (deposit?.method !== 'card' || deposit.status !== 'Pending') return
  // Leave out the key: it belongs to the rejection.
  const { operatorId, sessionId, email, roles } = who
  await claim(deps, { operatorId, sessionId, email, roles }, deposits, id)
  await closeCheckout(deps.cashier, deps.db, deposit)
}

/** Returns the image of a payment proof. Each view is audited. Throws `not_found`. */
export async function paymentProofPicture(
  deps: Pick<DeskDeps, 'db' | 'files'>,
  who: WhoOperates,
  id: bigint,
): Promise<Buffer> {
  const item = await findItem(deps.db, deposits, id)
  const row = await depositById(deps.db, item.id)
  if (!row) throw notFound()
  const picture = await paymentProofOf(deps, row)
  return audited(deps.db, who, async () => ({
    answer: picture,
    entry: { action: 'view', item: auditedItem('deposits', id), userId: item.userId },
  }))
}
