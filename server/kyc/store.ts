import { must } from '#kernel/must.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import { sql } from '../platform/database/db.ts'
import type { DB } from '../platform/database/db-types.ts'
import type { CheckKind, IdentityCheck } from './identity-check.ts'

const COLUMNS = ['id', 'user_id', 'method', 'status', 'reason', 'file', 'changed_from', 'holds_withdrawals'] as const

/** Returns a user's current check of a kind: the newest, not superseded. */
export async function currentCheck<K extends CheckKind = 'identity'>(
  db: Db | Tx,
  userId: bigint,
  kind?: K,
): Promise<IdentityCheck<K> | undefined> {
  const row = await db
    .selectFrom('identity_checks')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .where('kind', '=', kind ?? 'identity')
    .where('superseded_at', 'is', null)
    .executeTakeFirst()
  return (
    row && {
      id: row.id,
      userId: row.user_id,
      // Check constraints limit the methods of each kind, and require an image for a current check.
      method: row.method as IdentityCheck<K>['method'],
      status: row.status,
      reason: row.reason,
      file: must(row.file),
      changedFrom: row.changed_from as Record<string, string> | null,
      holdsWithdrawals: row.holds_withdrawals,
    }
  )
}

/** Whether an operator has ever approved a user's identity. */
export async function isIdentityApproved(tx: Tx, userId: bigint): Promise<boolean> {
  const row = await tx
    .selectFrom('identity_checks')
    .select('id')
    .where('user_id', '=', userId)
    .where('kind', '=', 'identity')
    .where('status', '=', 'Approved')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export const supersedeCheck = (tx: Tx, id: bigint) =>
  tx.updateTable('identity_checks').set({ superseded_at: sql`clock_timestamp()` }).where('id', '=', id).execute()

export const insertCheck = (
  tx: Tx,
  check: {
    userId: bigint
    kind: CheckKind
    method: DB['identity_checks']['method']
    file: string
    holdsWithdrawals: boolean
  },
) =>
  tx
    .insertInto('identity_checks')
    .values({
      user_id: check.userId,
      kind: check.kind,
      method: check.method,
      file: check.file,
      holds_withdrawals: check.holdsWithdrawals,
    })
    .execute()

/** Ends all of a user's checks and detaches their images. Returns the image names. */
export async function endChecks(tx: Tx, userId: bigint): Promise<string[]> {
  const { rows } = await sql<{ file: string }>`
    with had as (select id, file from identity_checks where user_id = ${userId} and file is not null for update)
    update identity_checks c set superseded_at = coalesce(superseded_at, clock_timestamp()), file = null
    from had where c.id = had.id returning had.file`.execute(tx)
  return rows.map((row) => row.file)
}

/** Returns any check by its number, even if its image was deleted. */
export async function checkById(db: Db | Tx, id: bigint) {
  const row = await db
    .selectFrom('identity_checks')
    .select(['user_id', 'kind', 'method', 'status', 'file', 'superseded_at'])
    .where('id', '=', id)
    .executeTakeFirst()
  return (
    row && {
      userId: row.user_id,
      kind: row.kind,
      method: row.method,
      status: row.status,
      file: row.file,
      superseded: row.superseded_at !== null,
    }
  )
}
