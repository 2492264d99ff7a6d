import { setImmediate as breathe } from 'node:timers/promises'
import { first, last } from '#kernel/must.ts'
import { type Price, price } from '#kernel/price.ts'
import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import { type Db, type Snapshot, sql } from '../../platform/database/db.ts'
import { readChain, unpackSymbol } from './frames/pack.ts'
import { OLDEST_MS } from './gate.ts'

/** A tick as stored on the tape. */
export interface StoredTick {
  seq: number
  sourceMs: Ms
  price: Price
  /** 0 live, 1 replay, 2 simulation. */
  kind: number
  /** Number of the frame that published it. */
  frame: number
}

/** Some of the requested ticks are gone: the retention expired and nothing was registered as needing them. */
export class TicksDropped extends Error {
  override name = 'TicksDropped'
}

/**
 * Returns all ticks of a symbol with a source time in [fromMs, toMs], oldest first, from the searchable index or from
 * packed minutes. Throws `TicksDropped` if the tape no longer holds them.
 */
export async function readTicks(db: Db | Snapshot, symbolId: number, fromMs: Ms, toMs: Ms): Promise<StoredTick[]> {
  const { ticks, dropped } = await searchTicks(db, symbolId, fromMs, toMs, Number.MAX_SAFE_INTEGER)
  if (dropped) throw new TicksDropped(`the tape of symbol ${symbolId} from ${fromMs} to ${toMs} is no longer whole`)
  return ticks
}

/** Returns the first tick of a symbol from a source time on. */
export async function firstTick(db: Db | Snapshot, symbolId: number, fromMs: Ms): Promise<StoredTick | undefined> {
  const { ticks, dropped } = await searchTicks(db, symbolId, fromMs, Number.MAX_SAFE_INTEGER - OLDEST_MS, 1)
  if (dropped) throw new TicksDropped(`the tape of symbol ${symbolId} from ${fromMs} on is no longer whole`)
  return ticks[0]
}

/**
 * Returns the source times of a symbol's ticks before and after a moment, in the searchable index only. It holds what
 * open trades may still need.
 */
export async function ticksAround(
  db: Db | Snapshot,
  symbolId: number,
  at: Ms,
): Promise<{ before: Ms | undefined; after: Ms | undefined }> {
  const { rows } = await sql<{ before: bigint | null; after: bigint | null }>`
    select
      (select max(source_ms) from ticks where symbol_id = ${symbolId} and source_ms < ${at}) as before,
      (select min(source_ms) from ticks where symbol_id = ${symbolId} and source_ms > ${at}) as after`.execute(db)
  const { before, after } = first(rows)
  return { before: before === null ? undefined : Number(before), after: after === null ? undefined : Number(after) }
}

const MINUTES_AT_ONCE = 30

/** Returns the first `limit` ticks of a range, and whether minutes within it have been dropped. */
export async function searchTicks(
  db: Db | Snapshot,
  symbolId: number,
  fromMs: Ms,
  toMs: Ms,
  limit: number,
): Promise<{ ticks: StoredTick[]; dropped: boolean }> {
  const { symbol } = await db
    .selectFrom('instruments')
    .select('symbol')
    .where('id', '=', symbolId)
    .executeTakeFirstOrThrow()
  const ticks: StoredTick[] = []
  let dropped = false
  // By their frames' time, which is up to 3 s younger than a tick.
  let minute = startOf(fromMs, MINUTE_MS)
  const until = toMs + OLDEST_MS
  while (ticks.length < limit) {
    const { rows } = await sql<{ minute: bigint; first_n: bigint; chain: Buffer; packed: Buffer | null }>`
      select minute, first_n, chain, packed from tape_minutes left join tape_bodies using (minute)
      where minute between ${minute} and ${until}
        -- Only minutes in which the symbol had ticks, by the time of the tick or of the frame just after it.
        and exists (select from candles c where c.symbol_id = ${symbolId} and c.minute in (tape_minutes.minute, tape_minutes.minute - 60000))
      order by minute limit ${MINUTES_AT_ONCE}`.execute(db)
    for (const row of rows) {
      if (ticks.length >= limit) break
      if (!row.packed) {
        dropped = true
        continue
      }
      // Unpacking a minute takes a millisecond, and anyone may request many.
      await breathe()
      for (const { frame, entry } of unpackSymbol(row.packed, readChain(Number(row.minute), row.chain), symbol)) {
        if (entry.sourceMs < fromMs || entry.sourceMs > toMs) continue
        const n = Number(row.first_n) + frame
        ticks.push({
          seq: entry.seq,
          sourceMs: entry.sourceMs,
          price: price(BigInt(entry.units)),
          kind: entry.kind,
          frame: n,
        })
      }
    }
    if (rows.length < MINUTES_AT_ONCE) break
    minute = Number(last(rows).minute) + 1
  }
  if (ticks.length < limit) {
    // What was packed while we read may appear on both sides; deduplicate by sequence.
    const from = Math.max(fromMs, (ticks.at(-1)?.sourceMs ?? fromMs - 1) + 1)
    const newest = await unpackedTicks(db, symbolId, from, toMs, Math.min(limit - ticks.length, 1_000_000))
    for (const tick of newest) ticks.push(tick)
  }
  return { ticks: ticks.slice(0, limit), dropped }
}

/** Returns ticks that aren't packed, or that are kept in spite of it. */
async function unpackedTicks(
  db: Db | Snapshot,
  symbolId: number,
  fromMs: Ms,
  toMs: Ms,
  limit: number,
): Promise<StoredTick[]> {
  const { rows } = await sql<{ seq: bigint; source_ms: bigint; price: bigint; kind: number; frame: bigint }>`
    select seq, source_ms, price, kind, frame from ticks
    where symbol_id = ${symbolId} and source_ms between ${fromMs} and ${toMs}
    order by source_ms limit ${limit}`.execute(db)
  return rows.map((row) => ({
    seq: Number(row.seq),
    sourceMs: Number(row.source_ms),
    price: price(row.price),
    kind: row.kind,
    frame: Number(row.frame),
  }))
}
