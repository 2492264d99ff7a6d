import type { Db, Tx } from '../platform/db.ts'
import { sql } from '../platform/db.ts'
import type { IdentityCheck } from './identity-check.ts'

const COLUMNS = ['id', 'user_id', 'method', 'status', 'reason', 'file'] as const

/** The check that counts for a user: the newest, not superseded. */
export async function livingCheck(db: Db | Tx, userId: bigint): Promise<IdentityCheck | undefined> {
  const row = await db
    .selectFrom('identity_checks')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .where('superseded_at', 'is', null)
    .executeTakeFirst()
  return (
    row && {
      id: row.id,
      userId: row.user_id,
      // The table's checks hold these to the words of the contract, and a living check to having a picture.
      method: row.method as IdentityCheck['method'],
      status: row.status as IdentityCheck['status'],
      reason: row.reason,
      file: row.file!,
    }
  )
}

export const supersedeCheck = (tx: Tx, id: bigint) =>
  tx.updateTable('identity_checks').set({ superseded_at: sql`clock_timestamp()` }).where('id', '=', id).execute()

export const insertCheck = (tx: Tx, check: Pick<IdentityCheck, 'userId' | 'method' | 'file'>) =>
  tx.insertInto('identity_checks').values({ user_id: check.userId, method: check.method, file: check.file }).execute()

/** Ends every check of a user and lets go of its pictures; answers their names. */
export async function endChecks(tx: Tx, userId: bigint): Promise<string[]> {
  const { rows } = await sql<{ file: string }>`
    with had as (select id, file from identity_checks where user_id = ${userId} and file is not null for update)
    update identity_checks c set superseded_at = coalesce(superseded_at, clock_timestamp()), file = null
    from had where c.id = had.id returning had.file`.execute(tx)
  return rows.map((row) => row.file)
}

/** Any check by its number, also one whose picture is gone. */
export async function checkById(db: Db | Tx, id: bigint) {
  const row = await db
    .selectFrom('identity_checks')
    .select(['user_id', 'method', 'status', 'file', 'superseded_at'])
    .where('id', '=', id)
    .executeTakeFirst()
  return (
    row && {
      userId: row.user_id,
      method: row.method,
      status: row.status as IdentityCheck['status'],
      file: row.file,
      superseded: row.superseded_at !== null,
    }
  )
}
