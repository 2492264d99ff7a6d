import { first } from '#kernel/must.ts'
import { audited, HOST } from '#server/desk/index.ts'
import { sql, type Tx } from '#server/platform/database/db.ts'
import type { ArchiveDeps, Outcome } from './archive-day.ts'
import { addSums, beginRemoval, choose, KEYS, MOVED, NothingToRemove, RESULT, remove } from './removal.ts'

/**
 * Removes a day's trades in demo and their movements in one transaction, without writing them anywhere. Their accounts
 * keep the sums, the day keeps their ids and the hash of what the checkpoints state, and their keys stay used. Returns
 * undefined if there is nothing to remove.
 */
export async function expireDay(
  { db, instruments }: Pick<ArchiveDeps, 'db' | 'instruments'>,
  day: string,
): Promise<Outcome | undefined> {
  let outcome: Outcome | undefined
  await audited(db, HOST, async (tx) => {
    await beginRemoval(tx)
    const { trades, stayed, leaves } = await choose(tx, instruments, day, 'demo')
    if (trades === 0) throw new NothingToRemove()
    const { transfers } = await record(tx, { day, trades, leaves })
    await remove(tx, { day, trades, transfers })
    outcome = { trades, transfers, stayed }
    const after = { leaves: leaves.toString('hex'), ...outcome }
    return { entry: { action: 'expire', item: { kind: 'archive', id: day }, after }, answer: undefined }
  }).catch((error: unknown) => {
    if (!(error instanceof NothingToRemove)) throw error
  })
  return outcome
}

async function record(
  tx: Tx,
  { day, trades, leaves }: { day: string; trades: number; leaves: Buffer },
): Promise<{ transfers: number }> {
  const { rows } = await sql<{ transfers: bigint }>`
    insert into expired_days (day, trades, transfers, result, last_at, keys, trade_ids, leaves)
    select ${day}::date, ${trades}, count(*), sum(${sql.raw(RESULT)}), max(m.at), ${sql.raw(KEYS)},
      (select string_agg(int8send(id), ''::bytea order by ordinal) from leaving), ${leaves}
    ${sql.raw(MOVED)} returning transfers`.execute(tx)
  await addSums(tx)
  return { transfers: Number(first(rows).transfers) }
}
