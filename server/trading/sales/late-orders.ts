import { type Db, sql } from '../../platform/database/db.ts'
import { tapeHead } from '../../prices/index.ts'

const LATE_AFTER_MS = 18_000

interface LateSaleOrder {
  id: bigint
  at: bigint
  /** Tape time. */
  head: bigint
}

/**
 * Returns the orders to sell that are undecided 18 s of tape time after they were accepted, oldest first: 10 s for a
 * price, up to 3 s until the tape proves that none came, and 5 s to decide. `id` is the trade's.
 */
export async function lateSaleOrders(db: Db): Promise<LateSaleOrder[]> {
  const { t } = await tapeHead(db)
  const { rows } = await sql<Omit<LateSaleOrder, 'head'>>`
    select trade_id as id, at from sale_orders where decided_at is null and at < ${t - LATE_AFTER_MS} order by at`.execute(
    db,
  )
  return rows.map((row) => ({ ...row, head: BigInt(t) }))
}
