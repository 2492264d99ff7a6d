import { type Db, sql } from './db.ts'

/** Notes how long each kind is kept, and that this was carried out: verify compares the rows with it. */
export async function noteRetention(db: Db, kind: string, days: number): Promise<void> {
  await sql`
    insert into retention_rules (kind, days) values (${kind}, ${days})
    on conflict (kind) do update set days = excluded.days, ran_at = clock_timestamp()`.execute(db)
}
