import type { Usd } from '#kernel/money.ts'
import { type Db, sql } from '../../../platform/database/db.ts'

/**
 * Sets the limits of symbols whose price too few exchanges make, by instrument, and removes those of all others. Returns
 * whether any changed.
 */
export async function setThinSymbols(db: Db, limits: ReadonlyMap<number, Usd>): Promise<boolean> {
  const ids = [...limits.keys()]
  return db.transaction().execute(async (tx) => {
    const set = await sql`
      insert into symbol_open (symbol_id, thin_max, open)
      select w.symbol_id, w.thin_max, coalesce((
        select sum(t.stake) from trades t where t.symbol_id = w.symbol_id and t.status = 'Pending' and t.mode = 'real'
      ), 0)
      from unnest(${ids}::smallint[], ${[...limits.values()]}::bigint[]) as w(symbol_id, thin_max)
      on conflict (symbol_id) do update set thin_max = excluded.thin_max
      where symbol_open.thin_max is distinct from excluded.thin_max`.execute(tx)
    const removed = await sql`
      update symbol_open set thin_max = null where thin_max is not null and symbol_id <> all (${ids}::smallint[])`.execute(
      tx,
    )
    await sql`delete from symbol_open where open_max is null and thin_max is null`.execute(tx)
    return (set.numAffectedRows ?? 0n) + (removed.numAffectedRows ?? 0n) > 0n
  })
}
