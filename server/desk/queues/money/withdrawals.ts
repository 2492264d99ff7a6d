import { DeskWithdrawal, type withdrawalCalls } from '#contract/desk/money/withdrawals.ts'
import { publicId } from '#kernel/id.ts'
import { usdToText } from '#kernel/money.ts'
import { toIso } from '#kernel/time.ts'
import {
  approveWithdrawal,
  bankOf,
  fixCoins,
  payWithdrawal,
  rejectWithdrawal,
  revokeWithdrawalApproval,
  standingOfWithdrawal,
  type WithdrawalDone,
  walletOf,
} from '../../../cashier/index.ts'
import { sql } from '../../../platform/database/db.ts'
import type { WhoOperates } from '../../../platform/http/index.ts'
import {
  auditedItem,
  type ClaimColumns,
  claimJoin,
  findItem,
  itemFields,
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
import { type PayoutRouteColumns, payoutRouteColumns, payoutRouteFlags } from '../../lists/money-flags.ts'
import { dollars, filtered, inDays, inOrder, isoOf, type List, type Page, where } from '../../lists/read.ts'
import { type PayoutDue, payoutIsDue } from '../../risk/payouts-due.ts'
import { type Claimed, person } from '../queue.ts'

interface WithdrawalRow extends ClaimColumns, PayoutRouteColumns {
  id: string
  user_id: string
  created_at: string
  method: DeskWithdrawal['method']
  coin: DeskWithdrawal['currency']
  wallet: string | null
  bank_ending: string | null
  destination: { name: string; beneficiary: string | null; hosted_by: string | null; saved_at: string } | null
  amount: number
  status: DeskWithdrawal['status']
  reason: string | null
  reference: string | null
  coin_amount: number | null
  rate: string | null
  rate_at: string | null
  rate_source: DeskWithdrawal['rate_source']
  batch_id: string | null
  processing_at: string | null
  ended_at: string | null
  approved_by: ApprovalColumn[]
  takes_two: boolean | null
  two_person_above: number
  finance_people: number
}

interface WithdrawalFilter extends MoneyFilter {
  /** Paid in the last UTC days. */
  paid?: string | undefined
  due?: PayoutDue | undefined
}

/** Withdrawals that were paid in the period, by the ledger. */
const paidIn = (days: string | undefined) =>
  days !== undefined &&
  sql`item.id in (select cause_id from transfers where ${where(sql`cause = 'withdraw_paid'`, inDays(sql`at`, days))})`

/** Selects withdrawals, newest first. */
export const withdrawalRows = (filter: WithdrawalFilter, page: Page, who: WhoOperates): List<WithdrawalRow> => sql`
  with item as materialized (
    select * from withdrawals item
    where ${where(approvedOnce('withdrawal', filter), paidIn(filter.paid), payoutIsDue('item', filter.due), filtered('item', filter, page))}
    ${inOrder('item.id', page)}
  )
  select item.id::text, item.user_id::text, item.created_at, item.method,
    item.coin, item.wallet, item.bank_ending, item.amount, item.status, item.reason, item.reference, item.coin_amount,
    item.rate::text, item.rate_at, item.rate_source,
    (select batch_id::text from payout_batch_items i where i.withdrawal_id = item.id and i.removed_at is null) as batch_id,
    (select json_build_object('name', b.name, 'beneficiary', b.beneficiary, 'hosted_by', b.hosted_by, 'saved_at', b.created_at)
      from payout_addresses b where b.id = item.address_id) as destination,
    item.processing_at, item.ended_at, ${approvedByColumn('withdrawal')},
    two.takes_two,
    (select withdrawal_two_person_above from cashier_settings) as two_person_above, ${financePeopleColumn},
    ${payoutRouteColumns}, claim.*
  from item ${claimJoin('withdrawals', 'item.id')}
  left join withdrawals_would_take_two(array(select id from item where status = 'Pending'), ${who.operatorId}) two
    on two.withdrawal = item.id
  ${inOrder('item.id', page)}`

function toDeskWithdrawal(who: WhoOperates, row: WithdrawalRow & Owner): DeskWithdrawal {
  const timeOf = (text: string | null) => (text === null ? undefined : Date.parse(text))
  const { dueBy } = standingOfWithdrawal({
    status: row.status,
    createdAt: Date.parse(row.created_at),
    approvals: row.approved_by.length,
    approvedAt: timeOf(row.approved_by.at(-1)?.at ?? null),
    processingAt: timeOf(row.processing_at),
    endedAt: timeOf(row.ended_at),
    haltedAt: undefined,
  })
  return {
    ...itemFields(who, row, publicId(BigInt(row.id))),
    flags: [...payoutRouteFlags(row), ...personFlags(row)],
    method: row.method,
    currency: row.coin,
    wallet: walletOf(row),
    destination: row.destination && { ...row.destination, saved_at: isoOf(row.destination.saved_at) },
    amount: dollars(row.amount),
    status: row.status,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.reference === null ? {} : { reference: row.reference }),
    coin_amount: row.coin_amount,
    rate: row.rate,
    rate_time: row.rate_at === null ? null : isoOf(row.rate_at),
    rate_source: row.rate_source,
    batch_id: row.batch_id === null ? null : publicId(BigInt(row.batch_id)),
    ...(row.processing_at === null ? {} : { approved_at: isoOf(row.processing_at) }),
    ...approvalsOf(row, row.amount),
    ...(dueBy === undefined ? {} : { due_by: toIso(dueBy) }),
  }
}

/** Withdrawals: approved by one or two operators, then paid by hand. */
export const withdrawals: Claimed<'withdrawals', keyof typeof withdrawalCalls, WithdrawalRow & Owner> = {
  name: 'withdrawals',
  schema: DeskWithdrawal,
  find: (id) => sql`
    select u.id as "userId", u.email, w.status in ('Pending', 'Processing') as open
    from withdrawals w join users u on u.id = w.user_id where w.id = ${id}`,
  pending: sql`
    select id, created_at, amount, user_id,
      status = 'Pending' and exists (select from withdrawal_approvals a where a.withdrawal_id = withdrawals.id),
      case when method = 'bank' then 'to bank, ending ' || bank_ending
        else 'to ' || coin::text || ' ' || left(wallet, 6) || '…' || right(wallet, 4) end
    from withdrawals where status in ('Pending', 'Processing')`,
  rows: (filter: WithdrawalFilter, page, who) => withOwners(withdrawalRows(filter, page, who), page),
  view: (row, who) => toDeskWithdrawal(who, row),
  actions: {
    approve: {
      step: async (tx, { id }, { deps, who }) =>
        stepOf(await approveWithdrawal(deps.cashier, tx, { withdrawalId: id, operator: person(who) })),
    },
    'withdraw-approval': {
      step: async (tx, { id }, { deps, who }) =>
        stepOf(await revokeWithdrawalApproval(deps.cashier, tx, { withdrawalId: id, operator: person(who) })),
    },
    'fix-coins': {
      keeps: true,
      step: async (tx, { id }, { deps, who }) =>
        stepOf(await fixCoins(deps.cashier, tx, { withdrawalId: id, operator: person(who) })),
    },
    paid: {
      async step(tx, { id }, { deps, who, body: { reference } }) {
        const done = await payWithdrawal(deps.cashier, tx, { withdrawalId: id, operator: person(who), reference })
        return { ...stepOf(done), why: reference }
      },
    },
    reject: {
      async step(tx, { id }, { deps, who, body: { reason } }) {
        const done = await rejectWithdrawal(deps.cashier, tx, { withdrawalId: id, operator: person(who), reason })
        return { ...stepOf(done), why: reason }
      },
    },
  },
}

/** What the audit log says of a step. */
export const stepOf = ({ before, after }: WithdrawalDone) => ({
  before: { status: before.status, approvals: before.approvals, ...coinsOf(before) },
  after: { status: after.status, approvals: after.approvals, amount: usdToText(after.amount), ...coinsOf(after) },
})

const coinsOf = ({ coin_amount, rate }: WithdrawalDone['after']) => (rate === null ? {} : { coin_amount, rate })

/** Returns the unmasked bank account of a withdrawal. Each view is audited. Throws `not_found`. */
export async function bankDetails(deps: Pick<DeskDeps, 'db' | 'bankSeal'>, who: WhoOperates, id: bigint) {
  const item = await findItem(deps.db, withdrawals, id)
  const bank = await bankOf({ db: deps.db, seal: deps.bankSeal }, item.id)
  return audited(deps.db, who, async () => ({
    answer: bank,
    entry: { action: 'view', item: auditedItem('withdrawals', id), userId: item.userId },
  }))
}
