import { type Db, sql } from '../../platform/database/db.ts'

interface LateTrade {
  id: bigint
  symbol_id: number
  end_time: bigint
  /** Tape time. */
  head: bigint
}

/** Returns the trades that are still pending 8 s of tape time after their end, oldest first. */
export async function lateTrades(db: Db): Promise<LateTrade[]> {
  const { rows } = await sql<LateTrade>`
    select t.id, t.symbol_id, t.end_time, h.t as head from trades t, tape_head h
    where t.status = 'Pending' and t.end_time < h.t - 8000 order by t.end_time`.execute(db)
  return rows
}
