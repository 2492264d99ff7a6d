import type { Parsed } from '#contract/api.ts'
import { DeskUnknownDeposit, type unknownDepositCalls } from '#contract/desk/money/unknown-deposits.ts'
import { fieldProblem } from '#contract/problem.ts'
import type { Coin } from '#contract/terms.ts'
import { assert } from '#kernel/assert.ts'
import { parseRowId, publicId } from '#kernel/id.ts'
import { assignUnknown, returnUnknown, storeUnknownCoins } from '../../../cashier/index.ts'
import { sql, type Tx } from '../../../platform/database/db.ts'
import type { WhoOperates } from '../../../platform/http/index.ts'
import { type ClaimColumns, claimJoin, itemFields } from '../../actions/items.ts'
import { audited } from '../../audit/audited.ts'
import type { DeskDeps } from '../../deps.ts'
import { dollars, filtered, inOrder, isoOf, type List, type Page, type QueueFilter } from '../../lists/read.ts'
import { type Claimed, oneOf, person } from '../queue.ts'

interface UnknownRow extends ClaimColumns {
  id: string
  created_at: string
  status: DeskUnknownDeposit['status']
  coin: Coin | null
  reference: string
  amount: number
  coins: number | null
  rate: string | null
  address: string | null
  arrived_at: string
  recorded_by: { operator_id: string; email: string } | null
  assigned: { operator_id: string; email: string; deposit_id: string; user_id: string; trader: string } | null
  returned: { operator_id: string; email: string; reason: string; at: string } | null
  /** Traders whose deposits the same transaction paid. */
  also: string | null
}

/** Selects payments without a deposit, with what became of them. */
const UNKNOWN = sql`
  select u.*, p.id as return_id, case
      when u.returned_at is not null then 'Returned'
      when d.status = 'Approved' then 'Credited'
      when d.status = 'Pending' then 'Assigned'
      when p.status = 'Pending' then 'Proposed'
      else 'Open' end as status
  from unknown_deposits u left join deposits d on d.id = u.deposit_id
  left join proposals p on p.kind = 'deposit-returns' and p.subject = u.id::text and p.status in ('Pending', 'Approved')`

const unknownRows = (filter: QueueFilter, page: Page): List<UnknownRow> => sql`
  select item.id::text, item.created_at, item.status, item.coin, item.reference, item.amount, item.coins,
    item.rate::text, item.address, item.arrived_at,
    (select json_build_object('operator_id', o.id::text, 'email', o.email) from operators o where o.id = item.recorded_by) as recorded_by,
    (select json_build_object('operator_id', o.id::text, 'email', o.email, 'deposit_id', d.id::text, 'user_id', u.id::text, 'trader', u.email)
      from deposits d join users u on u.id = d.user_id join operators o on o.id = item.assigned_by where d.id = item.deposit_id) as assigned,
    (select json_build_object('operator_id', o.id::text, 'email', o.email, 'reason', p.reason, 'at', p.proposed_at)
      from proposals p join operators o on o.id = p.proposed_by where p.kind = 'deposit-returns' and p.id = item.return_id) as returned,
    (select min(u.email) from deposit_arrivals a join users u on u.id = a.user_id
      where a.coin = item.coin and a.transaction_id = item.reference and a.deposit_id is distinct from item.deposit_id) as also,
    claim.*
  from (${UNKNOWN}) item ${claimJoin('unknown-deposits', 'item.id')}
  where ${filtered('item', { ...filter, user: undefined }, page)}
  ${inOrder('item.id', page)}`

const toUnknownDeposit = (row: UnknownRow, who: WhoOperates): DeskUnknownDeposit => ({
  ...itemFields(who, { ...row, user_id: null, email: '', name: row.reference }, row.id),
  flags: row.also === null ? [] : [`The same transaction paid a deposit of ${row.also}`],
  status: row.status,
  currency: row.coin,
  reference: row.reference,
  amount: dollars(row.amount),
  coin_amount: row.coins,
  rate: row.rate,
  address: row.address,
  arrived_at: isoOf(row.arrived_at),
  recorded_by: row.recorded_by,
  assigned: row.assigned && { ...row.assigned, deposit_id: publicId(BigInt(row.assigned.deposit_id)) },
  returned: row.returned && { ...row.returned, at: isoOf(row.returned.at) },
})

/** What the audit log calls the steps of sending back. */
const RETURN_STEP = { proposed: 'propose-return', completed: 'complete-return' } as const

/** Payments that belong to no known deposit: assigned to a trader, or sent back, each by two people. */
export const unknownDeposits: Claimed<
  'unknown-deposits',
  Exclude<keyof typeof unknownDepositCalls, 'POST /desk/unknown-deposits'>,
  UnknownRow
> = {
  name: 'unknown-deposits',
  schema: DeskUnknownDeposit,
  find: (id) => sql`
    select null::bigint as "userId", '' as email, u.status in ('Open', 'Proposed') as open from (${UNKNOWN}) u where u.id = ${id}`,
  pending: sql`
    select id, created_at, amount, null, status = 'Proposed', coalesce(trim_scale(coins) || ' ' || coin::text, 'by card') || ' without a deposit'
    from (${UNKNOWN}) u where u.status in ('Open', 'Proposed')`,
  rows: unknownRows,
  view: toUnknownDeposit,
  actions: {
    assign: {
      async step(tx, { id }, { deps, who, body: { user } }) {
        const userId = await findTrader(tx, user)
        const { after } = await assignUnknown(deps.cashier, tx, { id, operator: person(who), userId })
        return {
          before: { status: 'Open' },
          after: { status: 'Assigned', deposit: publicId(after.id), user: String(userId) },
        }
      },
    },
    'send-back': {
      async step(tx, { id }, { who, body: { reason } }) {
        const step = await returnUnknown(tx, { id, operator: person(who), reason })
        return {
          action: RETURN_STEP[step],
          after: { status: step === 'completed' ? 'Returned' : 'Proposed' },
          why: reason,
        }
      },
    },
  },
}

/** Finds an open account by its number or address. Throws `validation_failed`. */
async function findTrader(tx: Tx, unchecked: string): Promise<bigint> {
  const { rows } = await sql<{ id: bigint }>`
    select id from users where ended_at is null and (id = ${parseRowId(unchecked) ?? 0n} or lower(email) = lower(${unchecked})) limit 1`.execute(
    tx,
  )
  if (!rows[0]) throw fieldProblem('user', 'is no open account')
  return rows[0].id
}

/** Records coins that arrived without a request. Throws `validation_failed`, `already_exists`. */
export async function recordUnknownCoins(
  deps: DeskDeps,
  who: WhoOperates,
  body: Parsed<'POST /desk/unknown-deposits', 'body'>,
): Promise<DeskUnknownDeposit> {
  const id = await audited(deps.db, who, async (tx) => {
    const found = await storeUnknownCoins(deps.cashier, tx, person(who), {
      coin: body.currency,
      uncheckedTransactionId: body.transaction_id,
      address: body.address,
      coins: body.coin_amount,
      arrivedAt: Date.parse(body.arrived_at),
    })
    const { currency, transaction_id, coin_amount } = body
    const entry = { action: 'record', item: { kind: 'unknown-deposits', id: String(found) } }
    return { answer: found, entry: { ...entry, after: { currency, transaction_id, coin_amount } } }
  })
  const stored = await oneOf(deps, unknownDeposits, who, id)
  assert(stored, 'the row that was just written exists')
  return stored
}
