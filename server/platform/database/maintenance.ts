import { type Db, sql } from './db.ts'

/** Commands whose runs monitoring watches. */
type Maintenance = 'verify' | 'backup'

interface MaintenanceRun {
  command: Maintenance
  finishedAt: Date
  succeeded: boolean
  /** The last run that succeeded; null if there was none. */
  succeededAt: Date | null
}

/** Records that a command has finished, for monitoring. Needs the owner's login. */
export async function recordRun(db: Db, command: Maintenance, succeeded: boolean): Promise<void> {
  await sql`
    insert into maintenance_runs (command, finished_at, succeeded, succeeded_at)
    values (${command}, clock_timestamp(), ${succeeded}, case when ${succeeded} then clock_timestamp() end)
    on conflict (command) do update set finished_at = excluded.finished_at, succeeded = excluded.succeeded,
      succeeded_at = coalesce(excluded.succeeded_at, maintenance_runs.succeeded_at)`.execute(db)
}

/** Records a run if possible. A database that can't be written, or lacks the table, doesn't fail the command. */
export async function noteRun(db: Db, command: Maintenance, succeeded: boolean): Promise<void> {
  await recordRun(db, command, succeeded).catch(() => undefined)
}

/** Returns the last run of each command. */
export async function lastRuns(db: Db): Promise<MaintenanceRun[]> {
  const rows = await db.selectFrom('maintenance_runs').selectAll().orderBy('command').execute()
  return rows.map((row) => ({
    command: row.command as Maintenance,
    finishedAt: row.finished_at,
    succeeded: row.succeeded,
    succeededAt: row.succeeded_at,
  }))
}
