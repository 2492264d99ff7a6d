import { first } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { type Db, type Snapshot, sql } from '../../platform/database/db.ts'

/** The orders that a frame binds. */
export interface FrameOrdersRow {
  frame: bigint
  t: bigint
  tradeIds: bigint[]
  leaves: Buffer
  root: Buffer
}

/** The driver reads an array of numbers as text. */
type Row = Omit<FrameOrdersRow, 'tradeIds'> & { trade_ids: (bigint | string)[] }
const fromRow = ({ trade_ids, ...row }: Row): FrameOrdersRow => ({ ...row, tradeIds: trade_ids.map(BigInt) })

/** Returns the frame that binds an order, at or after a time. */
export async function frameOfOrder(db: Snapshot, tradeId: bigint, from: Ms): Promise<FrameOrdersRow | undefined> {
  const { rows } = await sql<Row>`
    select * from frame_orders where t >= ${from} and trade_ids @> array[${tradeId}::bigint] order by t limit 1`.execute(
    db,
  )
  return rows[0] && fromRow(rows[0])
}

/** Returns the next frames that bind orders, in order. */
export async function framesWithOrders(db: Snapshot, after: bigint, limit: number): Promise<FrameOrdersRow[]> {
  const { rows } = await sql<Row>`
    select * from frame_orders where frame > ${after} order by frame limit ${limit}`.execute(db)
  return rows.map(fromRow)
}

/** Returns since when the tape binds orders, Unix ms; undefined before the first. */
export async function ordersBoundSince(db: Db): Promise<Ms | undefined> {
  const { rows } = await sql<{ t: bigint | null }>`select min(t) as t from frame_orders`.execute(db)
  const t = first(rows).t
  return t === null ? undefined : Number(t)
}
