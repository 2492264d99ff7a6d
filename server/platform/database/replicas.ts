import { type Db, sql } from './db.ts'

/** What reads the write-ahead log of the primary: standbys, and backups while they run. */
interface Replica {
  name: string
  /** How far behind it is; undefined without the right to see it (`pg_read_all_stats`). */
  lagSeconds: number | undefined
}

/** Returns what reads the log of this primary. */
export async function readReplicas(db: Db): Promise<Replica[]> {
  const { rows } = await sql<{ name: string; may_see: boolean; lag: number | null }>`
    select coalesce(nullif(application_name, ''), 'unnamed') as name, state is not null as may_see,
      extract(epoch from replay_lag)::float8 as lag
    from pg_stat_replication`.execute(db)
  // One that has nothing to replay reports no lag.
  return rows.map(({ name, may_see, lag }) => ({ name, lagSeconds: may_see ? (lag ?? 0) : undefined }))
}
