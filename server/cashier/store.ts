import type { Selectable } from 'kysely'
import { type Db, sql, type Tx } from '../platform/db.ts'
import type { DB } from '../platform/db-types.ts'

/** A row and what its approvals say. */
interface Approved {
  approvals: number
  approved_at: Date | null
}
export type DepositRow = Selectable<DB['deposits']> & Approved
export type WithdrawalRow = Omit<Selectable<DB['withdrawals']>, 'bank_sealed' | 'bank_print'> & Approved

const deposits = (db: Db | Tx) =>
  db
    .selectFrom('deposits')
    .selectAll()
    .select([
      sql<number>`(select count(*)::int from deposit_approvals a where a.deposit_id = deposits.id)`.as('approvals'),
      sql<Date | null>`(select max(at) from deposit_approvals a where a.deposit_id = deposits.id)`.as('approved_at'),
    ])

const withdrawals = (db: Db | Tx) =>
  db
    .selectFrom('withdrawals')
    .select([
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
      'created_at',
      'processing_at',
      'ended_at',
    ])
    .select([
      sql<number>`(select count(*)::int from withdrawal_approvals a where a.withdrawal_id = withdrawals.id)`.as(
        'approvals',
      ),
      sql<Date | null>`(select max(at) from withdrawal_approvals a where a.withdrawal_id = withdrawals.id)`.as(
        'approved_at',
      ),
    ])

export const depositById = (db: Db | Tx, id: bigint): Promise<DepositRow | undefined> =>
  deposits(db).where('id', '=', id).executeTakeFirst()

export const withdrawalById = (db: Db | Tx, id: bigint): Promise<WithdrawalRow | undefined> =>
  withdrawals(db).where('id', '=', id).executeTakeFirst()

/** The item's row, after the user's and before his accounts: nobody else decides about it meanwhile. */
export const lockDeposit = (tx: Tx, id: bigint) =>
  sql`select from deposits where id = ${id} for no key update`.execute(tx)
export const lockWithdrawal = (tx: Tx, id: bigint) =>
  sql`select from withdrawals where id = ${id} for no key update`.execute(tx)

/** Which part of a list is asked for: `limit` rows before (older than) `before`. */
export interface Page {
  limit: number
  before: bigint | undefined
}

/** A page of a user's deposits, newest first; one row more than asked for where there are more. */
export const depositsOf = (db: Db, userId: bigint, { limit, before }: Page): Promise<DepositRow[]> =>
  deposits(db)
    .where('user_id', '=', userId)
    .$if(before !== undefined, (query) => query.where('id', '<', before!))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()

/** The same of withdrawals. */
export const withdrawalsOf = (db: Db, userId: bigint, { limit, before }: Page): Promise<WithdrawalRow[]> =>
  withdrawals(db)
    .where('user_id', '=', userId)
    .$if(before !== undefined, (query) => query.where('id', '<', before!))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()

export const insertDeposit = (
  tx: Tx,
  deposit: Pick<
    Selectable<DB['deposits']>,
    'id' | 'user_id' | 'coin' | 'announced' | 'coin_amount' | 'rate' | 'address' | 'receipt' | 'receipt_hash'
  >,
) =>
  tx
    .insertInto('deposits')
    .values({ ...deposit, method: 'crypto' })
    .execute()

/** Writes a decision about a deposit that waits. */
export const decideDeposit = (
  tx: Tx,
  id: bigint,
  decision: { status: 'Approved'; credited: bigint } | { status: 'Rejected'; reason: string },
) =>
  tx
    .updateTable('deposits')
    .set({ ...decision, decided_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .execute()

export const depositApprovals = (tx: Tx, id: bigint) =>
  tx.selectFrom('deposit_approvals').select(['operator_id', 'amount']).where('deposit_id', '=', id).execute()

export const withdrawalApprovers = async (tx: Tx, id: bigint): Promise<bigint[]> => {
  const rows = await tx
    .selectFrom('withdrawal_approvals')
    .select('operator_id')
    .where('withdrawal_id', '=', id)
    .execute()
  return rows.map((row) => row.operator_id)
}

export const readSettings = (db: Db | Tx) => db.selectFrom('cashier_settings').selectAll().executeTakeFirstOrThrow()

/** Whether a deposit or a withdrawal of the user waits for somebody. */
export async function hasOpenRequest(db: Db | Tx, userId: bigint): Promise<boolean> {
  const { rows } = await sql`
    select from deposits where user_id = ${userId} and status = 'Pending'
    union all
    select from withdrawals where user_id = ${userId} and status in ('Pending', 'Processing') limit 1`.execute(db)
  return rows.length > 0
}
