import type { Insertable, Selectable } from 'kysely'
import type { Coin } from '#contract/terms.ts'
import { must } from '#kernel/must.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import type { DB } from '../../platform/database/db-types.ts'
import type { Page } from '../../platform/http/page.ts'
import { type Approved, type Approver, type Locked, locked } from '../decisions.ts'
import { pausedSince } from './payout-halts.ts'

export type WithdrawalRow = Omit<Selectable<DB['withdrawals']>, 'bank_sealed' | 'bank_fingerprint' | 'address_id'> &
  Approved & {
    /** Since when payouts are halted; null while they run. */
    halted_at: Date | null
    /** The batch that it is to be paid with, or was. */
    batch_id: bigint | null
  }

const WITHDRAWAL_COLUMNS = [
  'id',
  'user_id',
  'method',
  'coin',
  'wallet',
  'bank_name',
  'bank_type',
  'bank_ending',
  'amount',
  'status',
  'reason',
  'reference',
  'coin_amount',
  'rate',
  'rate_at',
  'rate_source',
  'payout_id',
  'created_at',
  'processing_at',
  'ended_at',
] as const

const haltedAt = pausedSince.as('halted_at')

const batchId = sql<bigint | null>`(
  select batch_id from payout_batch_items i where i.withdrawal_id = withdrawals.id and i.removed_at is null
)`.as('batch_id')

const withdrawals = (db: Db | Tx) =>
  db
    .selectFrom('withdrawals')
    .select(WITHDRAWAL_COLUMNS)
    .select([
      sql<number>`(select count(*)::int from withdrawal_approvals a where a.withdrawal_id = withdrawals.id)`.as(
        'approvals',
      ),
      sql<Date | null>`(select max(at) from withdrawal_approvals a where a.withdrawal_id = withdrawals.id)`.as(
        'approved_at',
      ),
      haltedAt,
      batchId,
    ])

export const withdrawalById = (db: Db | Tx, id: bigint): Promise<WithdrawalRow | undefined> =>
  withdrawals(db).where('id', '=', id).executeTakeFirst()

const withdrawalApprovers = sql<Approver[] | null>`(
  select json_agg(json_build_object('operator_id', a.operator_id::text, 'at', a.at, 'amount', null) order by a.at)
  from withdrawal_approvals a where a.withdrawal_id = withdrawals.id
)`.as('approvers')

export async function lockWithdrawal(tx: Tx, id: bigint): Promise<(WithdrawalRow & Locked) | undefined> {
  const row = await tx
    .selectFrom('withdrawals')
    .select(WITHDRAWAL_COLUMNS)
    .select([withdrawalApprovers, haltedAt, batchId])
    .where('id', '=', id)
    .forNoKeyUpdate('withdrawals')
    .executeTakeFirst()
  return row && locked(row)
}

/** Lists a page of a user's withdrawals, newest first, plus one extra row when there are more. */
export const withdrawalsOf = (db: Db, userId: bigint, { after, limit }: Page): Promise<WithdrawalRow[]> =>
  withdrawals(db)
    .where('user_id', '=', userId)
    .$if(after !== undefined, (query) => query.where('id', '<', must(after)))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()

/** Changes the status of a withdrawal. Returns the new row. */
export async function moveWithdrawal(
  tx: Tx,
  before: WithdrawalRow,
  next:
    | { status: 'Processing' }
    | ({ status: 'Paid'; reference: string; payout_id?: bigint } & Partial<CoinsFixed>)
    | { status: 'Rejected'; reason: string }
    | { status: 'Cancelled' },
): Promise<WithdrawalRow> {
  const now = sql<Date>`clock_timestamp()`
  const row = await tx
    .updateTable('withdrawals')
    .set({ ...next, ...(next.status === 'Processing' ? { processing_at: now } : { ended_at: now }) })
    .where('id', '=', before.id)
    .returning([
      ...(['status', 'reason', 'reference', 'processing_at', 'ended_at'] as const),
      ...(['coin_amount', 'rate', 'rate_at', 'rate_source', 'payout_id'] as const),
    ])
    .executeTakeFirstOrThrow()
  return { ...before, ...row }
}

/** The coins of a payment, at a rate of the tape. */
type CoinsFixed = Pick<Insertable<DB['withdrawals']>, 'coin_amount' | 'rate' | 'rate_at' | 'rate_source'>

/** Fixes the coins that a withdrawal is paid with. Returns the new row. */
export async function fixCoinsOf(tx: Tx, before: WithdrawalRow, coins: CoinsFixed): Promise<WithdrawalRow> {
  const row = await tx
    .updateTable('withdrawals')
    .set(coins)
    .where('id', '=', before.id)
    .returning(['coin_amount', 'rate', 'rate_at', 'rate_source'])
    .executeTakeFirstOrThrow()
  return { ...before, ...row }
}

export const insertBatch = (tx: Tx, batch: { id: bigint; coin: Coin; created_by: bigint }) =>
  tx.insertInto('payout_batches').values(batch).execute()

export const insertBatchItem = (tx: Tx, batch_id: bigint, withdrawal_id: bigint) =>
  tx.insertInto('payout_batch_items').values({ batch_id, withdrawal_id }).execute()

/** Takes a withdrawal out of its batch; the database dates it. */
export const removeBatchItem = (tx: Tx, batchId: bigint, withdrawalId: bigint) =>
  tx
    .updateTable('payout_batch_items')
    .set({ removed_at: sql<Date>`clock_timestamp()` })
    .where('batch_id', '=', batchId)
    .where('withdrawal_id', '=', withdrawalId)
    .execute()

/** Selects the oldest withdrawals of a coin that can be paid in a batch, in the order of locks. */
export async function withdrawalsForBatch(tx: Tx, coin: Coin, most: number): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select id from (
      select id, user_id from withdrawals w
      where status = 'Processing' and coin = ${coin}
        and not exists (select from payout_batch_items i where i.withdrawal_id = w.id and i.removed_at is null)
      order by processing_at, id limit ${most}
    ) oldest order by user_id, id`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Sorts withdrawals by their owners, whose locks come first, so that two transactions never wait for each other. */
export async function inLockOrder(tx: Tx, ids: readonly bigint[]): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select id from withdrawals where id = any(${ids}::bigint[]) order by user_id, id`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Records which payout a transaction paid. Returns whether it paid no other. */
export async function recordTransaction(
  tx: Tx,
  transaction: { coin: Coin; transaction_id: string; payout_id: bigint },
): Promise<boolean> {
  const { coin, transaction_id, payout_id } = transaction
  await tx
    .insertInto('coin_transactions')
    .values(transaction)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { payout_id: paid } = await tx
    .selectFrom('coin_transactions')
    .select('payout_id')
    .where('coin', '=', coin)
    .where('transaction_id', '=', transaction_id)
    .executeTakeFirstOrThrow()
  return paid === payout_id
}

/** Counts an operator's approval of a withdrawal. Returns the new row. */
export async function approveWithdrawalRow(tx: Tx, before: WithdrawalRow, operatorId: bigint): Promise<WithdrawalRow> {
  const { at } = await tx
    .insertInto('withdrawal_approvals')
    .values({ withdrawal_id: before.id, operator_id: operatorId })
    .returning('at')
    .executeTakeFirstOrThrow()
  return { ...before, approvals: before.approvals + 1, approved_at: at }
}

/** Revokes an operator's approval of a withdrawal. Returns the new row, or undefined when they had not approved it. */
export async function dropWithdrawalApproval(
  tx: Tx,
  before: WithdrawalRow,
  operatorId: bigint,
): Promise<WithdrawalRow | undefined> {
  const gone = await tx
    .deleteFrom('withdrawal_approvals')
    .where('withdrawal_id', '=', before.id)
    .where('operator_id', '=', operatorId)
    .returning('at')
    .executeTakeFirst()
  return gone && withdrawalById(tx, before.id)
}

/** Returns where each of these withdrawals goes, as text. */
export async function withdrawalMethods(db: Db, ids: readonly bigint[]): Promise<Map<bigint, string>> {
  const rows = await db
    .selectFrom('withdrawals')
    .select(['id', 'coin', 'bank_ending'])
    .where('id', '=', sql<bigint>`any(${ids}::bigint[])`)
    .execute()
  return new Map(
    rows.map(({ id, coin, bank_ending }) => [
      id,
      coin === null ? `bank account ending ${bank_ending}` : `${coin} wallet`,
    ]),
  )
}
