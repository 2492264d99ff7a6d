import type { Insertable, Selectable } from 'kysely'
import { type Coin, RATE_MINUTES } from '#contract/terms.ts'
import type { Usd } from '#kernel/money.ts'
import { first, must } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import type { DB } from '../../platform/database/db-types.ts'
import type { Page } from '../../platform/http/page.ts'
import { type Approved, type Approver, type Locked, locked } from '../decisions.ts'

/** What arrived for a deposit. */
interface ArrivalColumn {
  transaction_id: string
  coins: number
  rate: string
  cents: number
  arrived_at: string
}

export type DepositRow = Selectable<DB['deposits']> & Approved & { arrival: ArrivalColumn | null }

const arrivalOfDeposit = sql<ArrivalColumn | null>`(
  select json_build_object('transaction_id', a.transaction_id, 'coins', a.coins, 'rate', a.rate::text, 'cents', a.amount,
    'arrived_at', a.arrived_at)
  from deposit_arrivals a where a.deposit_id = deposits.id
)`.as('arrival')

const deposits = (db: Db | Tx) =>
  db
    .selectFrom('deposits')
    .selectAll()
    .select([
      sql<number>`(select count(*)::int from deposit_approvals a where a.deposit_id = deposits.id)`.as('approvals'),
      sql<Date | null>`(select max(at) from deposit_approvals a where a.deposit_id = deposits.id)`.as('approved_at'),
      arrivalOfDeposit,
    ])

export const depositById = (db: Db | Tx, id: bigint): Promise<DepositRow | undefined> =>
  deposits(db).where('id', '=', id).executeTakeFirst()

const depositApprovers = sql<Approver[] | null>`(
  select json_agg(json_build_object('operator_id', a.operator_id::text, 'at', a.at, 'amount', a.amount) order by a.at)
  from deposit_approvals a where a.deposit_id = deposits.id
)`.as('approvers')

/** Locks the item's row: after the user's, before their accounts. */
export async function lockDeposit(tx: Tx, id: bigint): Promise<(DepositRow & Locked) | undefined> {
  const row = await tx
    .selectFrom('deposits')
    .selectAll()
    .select([depositApprovers, arrivalOfDeposit])
    .where('id', '=', id)
    .forNoKeyUpdate('deposits')
    .executeTakeFirst()
  return row && locked(row)
}

/** Lists a page of a user's deposits, newest first, plus one extra row when there are more. */
export const depositsOf = (db: Db, userId: bigint, { after, limit }: Page): Promise<DepositRow[]> =>
  deposits(db)
    .where('user_id', '=', userId)
    .$if(after !== undefined, (query) => query.where('id', '<', must(after)))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()

export type DepositRequestRow = Selectable<DB['deposit_requests']> & {
  /** Whether its rate still counts. */
  is_rate_valid: boolean
}

/** Lists a trader's requests of deposits that are younger than this, newest first: at most three. */
export const depositRequestsOf = (db: Db | Tx, userId: bigint, hours: number): Promise<DepositRequestRow[]> =>
  db
    .selectFrom('deposit_requests')
    .selectAll()
    .select(
      sql<boolean>`created_at > clock_timestamp() - make_interval(mins => ${RATE_MINUTES}::int)`.as('is_rate_valid'),
    )
    .where('user_id', '=', userId)
    .where('created_at', '>', sql<Date>`clock_timestamp() - make_interval(hours => ${hours}::int)`)
    .orderBy('id', 'desc')
    .execute()

export const insertDepositRequest = (tx: Tx, row: Insertable<DB['deposit_requests']>) =>
  tx.insertInto('deposit_requests').values(row).execute()

/** Deletes a trader's request. Returns whether there was one. */
export async function deleteDepositRequest(db: Db | Tx, userId: bigint, id: bigint): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('deposit_requests')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes requests that are older than this, of one trader or of all. */
export const deleteOldRequests = (db: Db | Tx, hours: number, userId?: bigint) =>
  db
    .deleteFrom('deposit_requests')
    .where('created_at', '<=', sql<Date>`(select clock_timestamp() - make_interval(hours => ${hours}::int))`)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', must(userId)))
    .execute()

export const insertDeposit = (
  tx: Tx,
  {
    isRequested,
    ...deposit
  }: Pick<
    Selectable<DB['deposits']>,
    | 'id'
    | 'user_id'
    | 'coin'
    | 'submitted'
    | 'coin_amount'
    | 'rate'
    | 'rate_source'
    | 'address'
    | 'receipt'
    | 'receipt_hash'
    | 'picture_hash'
  > & { isRequested: boolean },
) =>
  tx
    .insertInto('deposits')
    .values({
      ...deposit,
      method: 'crypto',
      ...(isRequested
        ? { requested_at: sql<Date>`(select created_at from deposit_requests where id = ${deposit.id})` }
        : {}),
    })
    .execute()

/**
 * Stores or corrects what arrived for a deposit. Returns false when the same transaction paid another deposit of its
 * trader.
 */
export async function storeArrival(tx: Tx, arrival: Insertable<DB['deposit_arrivals']>): Promise<boolean> {
  const { deposit_id, user_id, coin, ...read } = arrival
  const other = await tx
    .selectFrom('deposit_arrivals')
    .select('deposit_id')
    .where('user_id', '=', user_id)
    .where('coin', '=', coin)
    .where('transaction_id', '=', read.transaction_id)
    .where('deposit_id', '<>', deposit_id)
    .executeTakeFirst()
  if (other) return false
  await tx
    .insertInto('deposit_arrivals')
    .values(arrival)
    .onConflict((conflict) => conflict.column('deposit_id').doUpdateSet({ ...read, at: sql<Date>`clock_timestamp()` }))
    .execute()
  return true
}

/** Stores a decision about a pending deposit. Returns the new row. */
export async function decideDeposit(
  tx: Tx,
  before: DepositRow,
  decision: { status: 'Approved'; credited: Usd; provider_reference?: string } | { status: 'Rejected'; reason: string },
): Promise<DepositRow> {
  const row = await tx
    .updateTable('deposits')
    .set({
      ...decision,
      // Another deposit may be assigned the same card payment.
      ...(decision.status === 'Rejected' ? { provider_reference: null } : {}),
      decided_at: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return { ...before, ...row }
}

/** Counts an operator's approval of an amount. Returns the new row. */
export async function approveDepositRow(
  tx: Tx,
  before: DepositRow,
  operatorId: bigint,
  amount: Usd,
): Promise<DepositRow> {
  const { at } = await tx
    .insertInto('deposit_approvals')
    .values({ deposit_id: before.id, operator_id: operatorId, amount })
    .returning('at')
    .executeTakeFirstOrThrow()
  return { ...before, approvals: before.approvals + 1, approved_at: at }
}

/**
 * Revokes an operator's approval of a pending deposit. Returns the new row, or undefined when they had not approved it.
 */
export async function dropDepositApproval(
  tx: Tx,
  before: DepositRow,
  operatorId: bigint,
): Promise<DepositRow | undefined> {
  const gone = await tx
    .deleteFrom('deposit_approvals')
    .where('deposit_id', '=', before.id)
    .where('operator_id', '=', operatorId)
    .returning('at')
    .executeTakeFirst()
  return gone && depositById(tx, before.id)
}

/** Counts a trader's deposits that aren't decided yet. */
export async function pendingDeposits(db: Db, userId: bigint): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from deposits where user_id = ${userId} and status = 'Pending'`.execute(db)
  return first(rows).count
}

/** Returns card deposits whose checkout may be open, of the time that a provider keeps one open and longer. */
export const openCheckouts = (db: Db): Promise<DepositRow[]> =>
  deposits(db)
    .where('status', '=', sql.lit('Pending'))
    .where('method', '=', sql.lit('card'))
    .where('checkout_closed_at', 'is', null)
    .where('created_at', '>', sql<Date>`clock_timestamp() - interval '3 days'`)
    .orderBy('id')
    .execute()

/** Records that a card deposit can no longer be paid. */
export const noteClosedCheckout = (db: Db | Tx, depositId: bigint) =>
  db
    .updateTable('deposits')
    .set({ checkout_closed_at: sql<Date>`coalesce(checkout_closed_at, clock_timestamp())` })
    .where('id', '=', depositId)
    .execute()

/** Returns the methods of a trader's credited deposits. */
export async function depositWaysOf(db: Db | Tx, userId: bigint): Promise<(Coin | 'card')[]> {
  const rows = await db
    .selectFrom('deposits')
    .select('coin')
    .distinct()
    .where('user_id', '=', userId)
    .where('status', '=', 'Approved')
    .execute()
  return rows.map(({ coin }) => coin ?? 'card').sort()
}

/** Returns the coin of each of these deposits, or `card`. */
export async function depositMethods(db: Db, ids: readonly bigint[]): Promise<Map<bigint, string>> {
  const rows = await db
    .selectFrom('deposits')
    .select(['id', 'coin'])
    .where('id', '=', sql<bigint>`any(${ids}::bigint[])`)
    .execute()
  return new Map(rows.map(({ id, coin }) => [id, coin ?? 'card']))
}

/**
 * Returns what a user has deposited since a time, in cents: what was credited, and what still waits. Rejected deposits
 * don't count. What was credited beyond the submitted amount counts when it was credited.
 */
export async function depositedSince(db: Db | Tx, userId: bigint, since: Ms): Promise<Usd> {
  const { rows } = await sql<{ total: Usd }>`
    select coalesce(sum(
      case when created_at >= ${new Date(since)} then least(coalesce(credited, submitted), submitted) else 0 end
      + case when decided_at >= ${new Date(since)} then greatest(credited - submitted, 0) else 0 end
    ), 0)::bigint as total from deposits
    where user_id = ${userId} and status <> 'Rejected'
      and (created_at >= ${new Date(since)} or decided_at >= ${new Date(since)})`.execute(db)
  return first(rows).total
}
