import { type Db, sql } from '../../platform/database/db.ts'

/** Returns the keys of checkpoints as lines of text, oldest first. */
export async function listKeys(db: Db): Promise<string> {
  const { rows } = await sql<{
    id: string
    created: string
    revoked: string | null
    reason: string | null
    signed_by: string | null
    unsigned_reason: string | null
    checkpoints: number
  }>`
    select id, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as created,
      to_char(revoked_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as revoked, revoked_reason as reason, signed_by, unsigned_reason,
      (select count(*)::int from checkpoints where key = k.id) as checkpoints
    from proof_keys k order by created_at`.execute(db)
  if (rows.length === 0) return 'No engine has signed a checkpoint yet.'
  return rows
    .map(({ id, created, revoked, reason, signed_by, unsigned_reason, checkpoints }) =>
      [
        id,
        `since ${created} UTC`,
        ...(signed_by ? [`signed by ${signed_by}`] : []),
        ...(unsigned_reason ? [`begun by two admins: ${unsigned_reason}`] : []),
        `${checkpoints} checkpoints`,
        ...(revoked ? [`revoked ${revoked} UTC: ${reason}`] : []),
      ].join(', '),
    )
    .join('\n')
}

/** Revokes a key, for everyone to see: receipts with its signature no longer check. Returns false if there is none to revoke. */
export async function revokeKey(db: Db, id: string, reason: string): Promise<boolean> {
  const { rows } = await sql`
    update proof_keys set revoked_at = clock_timestamp(), revoked_reason = ${reason}
    where id = ${id} and revoked_at is null returning 1`.execute(db)
  return rows.length === 1
}
