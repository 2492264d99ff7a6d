import { hash } from 'node:crypto'
import { type Db, sql, type Tx } from '../platform/database/db.ts'
import type { KycDeps } from './submit.ts'

const BATCH = 50

/** Ends a closed account's checks. Their pictures stay until their period is over. */
export const supersedeChecksOf = (tx: Tx, userId: bigint) =>
  sql`update identity_checks set superseded_at = clock_timestamp() where user_id = ${userId} and superseded_at is null`.execute(
    tx,
  )

/**
 * Deletes the pictures of checks that ended longer ago than this, in batches. Each row keeps the picture's hash and when it
 * was deleted. A run that is cut off continues with the same rows: the hash is stored first, then the file is deleted.
 */
export async function eraseOldDocuments(deps: Pick<KycDeps, 'db' | 'files'>, days: number): Promise<number> {
  for (let erased = 0; ; ) {
    const rows = await oldDocuments(deps.db, days)
    for (const row of rows) {
      if (row.erased_hash === null) await storeHash(deps, row)
      await deps.files.delete(row.file)
      await sql`
        update identity_checks set file = null, erased_at = clock_timestamp() where id = ${row.id} and file = ${row.file}`.execute(
        deps.db,
      )
      erased++
    }
    if (rows.length < BATCH) return erased
  }
}

async function oldDocuments(db: Db, days: number) {
  const { rows } = await sql<{ id: bigint; file: string; erased_hash: Buffer | null }>`
    select id, file, erased_hash from identity_checks
    where superseded_at < (select clock_timestamp()) - make_interval(days => ${days}) and superseded_at is not null and file is not null
    order by superseded_at limit ${BATCH}`.execute(db)
  return rows
}

async function storeHash({ db, files }: Pick<KycDeps, 'db' | 'files'>, { id, file }: { id: bigint; file: string }) {
  const picture = await files.get(file)
  // A picture that is missing already leaves no hash.
  if (picture)
    await sql`update identity_checks set erased_hash = ${hash('sha256', picture, 'buffer')} where id = ${id}`.execute(
      db,
    )
}
