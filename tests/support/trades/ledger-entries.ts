import { accountOfSql } from '#server/ledger/index.ts'
import { type Db, sql } from '#server/platform/database/db.ts'

/** Writes this many entries on demo accounts, alternately granting and removing 100.00. Every invariant holds. */
export async function writeEntries(db: Db, { traders, entries }: { traders: number; entries: number }): Promise<void> {
  const each = Math.ceil(entries / traders)
  const account = sql.raw(accountOfSql('u', 'demo'))
  await sql`insert into accounts (id, user_id, mode) select ${account}, u, 'demo' from generate_series(1, ${sql.lit(traders)}) u`.execute(
    db,
  )
  await sql`
    with granted as (
      insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at)
      select 'demo_grant', ${account} * 1000000::bigint + n, 1, ${account}, 'demo',
        case n % 2 when 1 then 'mint' else 'balance' end::slot, case n % 2 when 1 then 'balance' else 'mint' end::slot,
        10000, n, 10000 * (n % 2), now()
      from generate_series(1, ${sql.lit(traders)}) u, generate_series(1, ${sql.lit(each)}) n
      returning account_id
    )
    update accounts set balance = ${sql.lit(10_000 * (each % 2))}, seq = ${sql.lit(each)}, last_at = now() where id in (select account_id from granted)`.execute(
    db,
  )
}
