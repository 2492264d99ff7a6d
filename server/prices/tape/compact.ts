import { first, last, must } from '#kernel/must.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import { type Db, inTransaction, sql } from '../../platform/database/db.ts'
import { barsOf } from '../candles/candles.ts'
import type { Instruments } from '../instruments/instruments.ts'
import { decodeBody, frameHash, GENESIS_HASH } from './frames/frame.ts'
import { chainOf, packBodies } from './frames/pack.ts'
import { OLDEST_MS } from './gate.ts'

/** How long the newest part of the tape stays in `frames` and `ticks`. */
const HOT_MS = 15 * MINUTE_MS

/**
 * How long after a candle's close a trade that follows it is accepted. Signals are written 0.31 s after the close with
 * simulated prices (measured at four frames a second), and up to a second after it where live prices are quieter.
 */
const FOLLOW_DELAY_MS = 1_000
/** A trade without a price for this long has no entry (`server/trading/trade.ts`). */
const ENTRY_WITHIN_MS = 10_000

export interface CompactDeps {
  db: Db
  instruments: Instruments
  retentionDays: number
  neededFrom(): Promise<Ms>
  neededMinutes(from: Ms, to: Ms): Promise<Set<Ms>>
}

/** Packs every minute that lies entirely before the hot window, in one transaction each; returns how many. */
export async function packClosedMinutes(deps: CompactDeps, headT: Ms, stop?: AbortSignal): Promise<number> {
  for (let packed = 0; ; packed++) {
    if (stop?.aborted) return packed
    const oldest = await deps.db.selectFrom('frames').select('t').orderBy('n').limit(1).executeTakeFirst()
    if (!oldest) return packed
    const minute = startOf(Number(oldest.t), MINUTE_MS)
    if (minute >= startOf(headT - HOT_MS, MINUTE_MS)) return packed
    await packMinute(deps, minute)
  }
}

async function packMinute({ db, instruments }: CompactDeps, minute: Ms): Promise<void> {
  const end = minute + MINUTE_MS
  const rows = await db
    .selectFrom('frames')
    .selectAll()
    .where('t', '>=', BigInt(minute))
    // A tick may be in a frame of the first seconds after its minute.
    .where('t', '<=', BigInt(end + OLDEST_MS))
    .orderBy('n')
    .execute()
  const frames = rows.map((row) => ({ n: Number(row.n), t: Number(row.t), hash: row.hash, body: row.body }))
  const closed = frames.filter((frame) => frame.t < end)
  const [firstFrame, lastFrame] = [first(closed), last(closed)]

  const before = await db
    .selectFrom('tape_minutes')
    .select(['minute', 'last_n', 'last_hash'])
    .orderBy('minute', 'desc')
    .limit(1)
    .executeTakeFirst()
  requireChained(closed, Number(before?.last_n ?? 0n), before?.last_hash ?? GENESIS_HASH)

  // Late ticks of a minute that has no frames (the tape began or paused) can only be stored here.
  const begin = Number(before?.minute) === minute - MINUTE_MS ? minute : minute - MINUTE_MS
  const { minutes, followed } = barsOfFrames(instruments, frames, begin, end)
  const candles = [...minutes].flatMap(([id, { made }]) => made.bars.map((bar) => ({ id, bar })))
  const chain = chainOf(minute, closed)
  const packed = packBodies(closed)
  const column = (at: 0 | 1 | 2 | 3 | 4) => candles.map(({ bar }) => bar[at])
  const pricesOf = (which: 'entry' | 'exit') =>
    candles.map(({ id, bar }) => must(followed.get(`${id} ${bar[0]}`))[which])

  await inTransaction(db, async (tx) => {
    await sql`insert into tape_minutes (minute, first_n, last_n, chain, last_hash)
      values (${minute}, ${firstFrame.n}, ${lastFrame.n}, ${chain}, ${lastFrame.hash})`.execute(tx)
    await sql`insert into tape_bodies (minute, packed) values (${minute}, ${packed})`.execute(tx)
    await sql`insert into candles (symbol_id, minute, open, high, low, close, entry, exit)
      select id, minute, open, high, low, close, entry, exit
      from unnest(${candles.map(({ id }) => id)}::smallint[], ${column(0)}::bigint[], ${column(1)}::bigint[],
        ${column(2)}::bigint[], ${column(3)}::bigint[], ${column(4)}::bigint[], ${pricesOf('entry')}::bigint[],
        ${pricesOf('exit')}::bigint[]) as made (id, minute, open, high, low, close, entry, exit)`.execute(tx)
    const removed = await tx
      .deleteFrom('frames')
      .where('n', '>=', BigInt(firstFrame.n))
      .where('n', '<=', BigInt(lastFrame.n))
      .executeTakeFirst()
    if (Number(removed.numDeletedRows) !== closed.length) throw new Error(`minute ${minute} was packed by another`)
  })
}

interface HotFrame {
  n: number
  t: Ms
  hash: Buffer
  body: Buffer
}

/** Throws unless these frames follow from the frame before them, and each from the other. */
function requireChained(frames: readonly HotFrame[], afterN: number, afterHash: Buffer): void {
  let [n, hash] = [afterN, afterHash]
  for (const frame of frames) {
    const follows = frame.n === n + 1 && frameHash(hash, frame.n, frame.t, frame.body).equals(frame.hash)
    if (!follows) throw new Error(`frame ${frame.n} does not follow from the frame before it: it is not packed`)
    hash = frame.hash
    n = frame.n
  }
}

/** Returns the one-minute candles of the ticks in [begin, end), by symbol, and what a trade after each would get. */
function barsOfFrames(instruments: Instruments, frames: readonly HotFrame[], begin: Ms, end: Ms) {
  const minutes = new Map<number, { kind: number; made: ReturnType<typeof barsOf> }>()
  const followed = new Map<string, { entry: number; exit: number }>()
  for (const frame of frames) {
    for (const { symbol, kind, sourceMs, units } of decodeBody(frame.t, frame.body)) {
      const id = instruments.bySymbol(symbol)?.id
      if (id === undefined || sourceMs < begin || sourceMs >= end) continue
      let of = minutes.get(id)
      // Kinds never mix: a minute in which the source changed begins with the change.
      if (of?.kind !== kind) {
        const before = of?.made.bars.filter(([time]) => time < startOf(sourceMs, MINUTE_MS)) ?? []
        of = { kind, made: barsOf(MINUTE_MS, before) }
        minutes.set(id, of)
        followed.delete(`${id} ${startOf(sourceMs, MINUTE_MS)}`)
      }
      of.made.add(sourceMs, [units, units, units, units])
      const key = `${id} ${startOf(sourceMs, MINUTE_MS)}`
      followed.set(key, followedBy(followed.get(key), sourceMs % MINUTE_MS, units))
    }
  }
  return { minutes, followed }
}

/** Adds a tick to what a trade would get that follows the close before this minute; ticks come in order of time. */
function followedBy(
  before: { entry: number; exit: number } = { entry: 0, exit: 0 },
  sinceClose: number,
  units: number,
): { entry: number; exit: number } {
  if (sinceClose <= FOLLOW_DELAY_MS) return { ...before, exit: units }
  return before.entry === 0 && sinceClose <= FOLLOW_DELAY_MS + ENTRY_WITHIN_MS ? { ...before, entry: units } : before
}

/** Removes ticks from the searchable index that are older than the hot window and that no open trade still needs. */
export async function pruneTicks({ db, neededFrom }: CompactDeps, headT: Ms): Promise<number> {
  // A tick's frame is at most 3 s younger than the tick, so it is packed before its index row is deleted.
  const cutoff = Math.min(startOf(headT - HOT_MS, MINUTE_MS) - OLDEST_MS - 1, Math.floor(await neededFrom()))
  const { numAffectedRows } = await sql`
    with last as materialized (
      select tick.* from instruments i, lateral (
        select symbol_id, source_ms from ticks where symbol_id = i.id order by source_ms desc limit 1
      ) tick
    )
    delete from ticks using last
    where ticks.symbol_id = last.symbol_id and ticks.source_ms < least(last.source_ms, ${cutoff}::bigint)`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

/** Hours of the tape that one call looks through. */
const HOURS_AT_ONCE = 24

/**
 * Drops packed bodies that are older than the retention, except those of minutes that trades and receipts need (and of the
 * minute after each, since a tick may be in a frame 3 s younger than itself). The chain stays. Looks through each hour
 * once, and through a day's hours at most: returns whether none is left.
 */
export async function dropOldBodies(
  { db, retentionDays, neededMinutes }: CompactDeps,
  headT: Ms,
): Promise<{ dropped: number; done: boolean }> {
  const cutoff = startOf(headT - retentionDays * DAY_MS, HOUR_MS)
  let dropped = 0
  for (let hours = 0; hours < HOURS_AT_ONCE; hours++) {
    const { rows } = await sql<{ next: bigint | null }>`
      select min(minute) as next from tape_bodies where minute >= (select until from tape_expiry)`.execute(db)
    const { next } = first(rows)
    const start = startOf(Number(next), HOUR_MS)
    if (next === null || start + HOUR_MS > cutoff) return { dropped, done: true }
    const needed = await neededMinutes(start - MINUTE_MS, start + HOUR_MS)
    const kept = [...needed, ...[...needed].map((minute) => minute + MINUTE_MS)]
    dropped += await inTransaction(db, async (tx) => {
      const { numAffectedRows } = await sql`
        delete from tape_bodies where minute >= ${start} and minute < ${start + HOUR_MS} and minute <> all(${kept}::bigint[])`.execute(
        tx,
      )
      await sql`update tape_expiry set until = ${start + HOUR_MS}`.execute(tx)
      return Number(numAffectedRows ?? 0n)
    })
  }
  return { dropped, done: false }
}

/**
 * Storage cost of the tape, measured on its newest packed hour: kept permanently (the chain) and until the retention
 * expires (bodies).
 */
export interface TapeSize {
  chainBytesPerDay: number
  bodyBytesPerDay: number
  /** Across all bodies stored now. */
  bodyBytes: number
}

export async function measureTape(db: Db): Promise<TapeSize> {
  const { rows } = await sql<{ minutes: number; chain: number | null; bodies: number | null; total: number }>`
    select count(*)::int as minutes, avg(octet_length(chain))::float8 as chain, avg(octet_length(packed))::float8 as bodies,
      (select coalesce(sum(octet_length(packed)), 0)::float8 from tape_bodies) as total
    from (select chain, packed from tape_minutes join tape_bodies using (minute) order by minute desc limit 60) newest
  `.execute(db)
  const row = first(rows)
  const perDay = (bytes: number | null) => Math.round((bytes ?? 0) * (DAY_MS / MINUTE_MS))
  return { chainBytesPerDay: perDay(row.chain), bodyBytesPerDay: perDay(row.bodies), bodyBytes: row.total }
}
