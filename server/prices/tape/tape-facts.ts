import { first } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { type Db, type Snapshot, sql, type Tx } from '../../platform/database/db.ts'

/** Returns the current tape time in Unix ms: the database's clock, but never before the newest frame. */
export async function tapeTime(db: Db | Tx): Promise<bigint> {
  const { rows } = await sql<{ ms: bigint }>`
    select greatest(floor(extract(epoch from clock_timestamp()) * 1000)::bigint, t) as ms from tape_head`.execute(db)
  return first(rows).ms
}

/** Returns the newest frame of the tape. */
export async function tapeHead(db: Db | Tx | Snapshot): Promise<{ n: number; t: Ms; hash: Buffer; epoch: number }> {
  const row = await db.selectFrom('tape_head').selectAll().executeTakeFirstOrThrow()
  return { n: Number(row.number), t: Number(row.t), hash: row.hash, epoch: row.epoch }
}

/** From this source time on, a symbol's ticks are of this kind. */
export interface KindChange {
  sourceMs: Ms
  kind: number
}

/** Returns when each symbol's kind of source began and changed. */
export async function readKinds(db: Db | Tx | Snapshot): Promise<Map<number, KindChange[]>> {
  const { rows } = await sql<{ symbol_id: number; source_ms: bigint; kind: number }>`
    select symbol_id, source_ms, kind from tape_kinds`.execute(db)
  const kinds = new Map<number, KindChange[]>()
  for (const row of rows) {
    const list = kinds.get(row.symbol_id) ?? []
    if (list.length === 0) kinds.set(row.symbol_id, list)
    list.push({ sourceMs: Number(row.source_ms), kind: row.kind })
  }
  return kinds
}
