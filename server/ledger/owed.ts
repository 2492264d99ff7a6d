import type { Usd } from '#kernel/money.ts'
import { type Db, type Snapshot, sql } from '../platform/database/db.ts'

/** The real money owed to a trader, in cents. The trader's own debt doesn't reduce it. */
export interface Owed {
  user_id: bigint
  available: Usd
  staked: Usd
  held: Usd
}

/** Small pages let the tape's work run in between. */
const PAGE = 500

/** Yields the traders who are owed something, in pages. */
export async function* owedToTraders(snapshot: Snapshot): AsyncGenerator<Owed[]> {
  await sql`
    declare owed no scroll cursor for
    select user_id, balance as available, escrow as staked, hold as held from accounts
    where mode = 'real' and balance + escrow + hold > 0`.execute(snapshot)
  for (;;) {
    const { rows } = await sql<Owed>`fetch ${sql.lit(PAGE)} from owed`.execute(snapshot)
    if (rows.length > 0) yield rows
    if (rows.length < PAGE) break
  }
  await sql`close owed`.execute(snapshot)
}

/** Whether anything is owed to any trader in real money. */
export async function isAnythingOwed(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from accounts where mode = 'real' and balance + escrow + hold > 0 limit 1`.execute(db)
  return rows.length > 0
}
