import { DAY_MS, type Ms, SECOND_MS } from '#kernel/time.ts'
import type { ReceiptCheckpoint } from '#packages/verify/verify.js'
import { removedDays } from '../../ledger/index.ts'
import { type Db, inSnapshot, type Snapshot, sql } from '../../platform/database/db.ts'
import { StartProblem } from '../../platform/process/start-problem.ts'
import { type Instruments, readFrames } from '../../prices/index.ts'
import { settledTrades } from '../../trading/index.ts'
import { type CheckpointRow, readIds, toCheckpoint } from '../checkpoints/checkpoint-row.ts'
import { leafOf, type SignedTrade } from '../checkpoints/leaf.ts'
import { dayOf } from '../verify-proof.ts'

/**
 * The lines of a day's file, each as JSON: a header, the keys, each checkpoint with the trades in its tree (without
 * their owners; not in the public file), then every frame of the tape from before the first of these trades to the last
 * checkpoint.
 */
export type DayLine =
  | { type: 'cleartick day'; version: 1; day: string }
  | { keys: { id: string; public_key: string }[] }
  | { checkpoint: ReceiptCheckpoint; trades?: SignedTrade[] }
  /** The number of the first frame, and the hash of the one before it. */
  | { first: number; before: string }
  /** A frame: its time, and its body as base64. */
  | [t: Ms, body: string]

/** Unpacking them takes a few milliseconds, and the web has other requests. */
const FRAMES_AT_ONCE = 500
/** A tick is in a frame up to 3 s later. */
const OLDEST_MS = 5 * SECOND_MS

/**
 * Yields the file of a day (UTC): the checkpoints signed on it, their trades, and the tape that decided them. Without
 * `trades`, only the tape of the day and its checkpoints, for the public file.
 */
export async function* dayLines(
  db: Db,
  instruments: Instruments,
  day: string,
  { trades: withTrades = true }: { trades?: boolean } = {},
): AsyncGenerator<DayLine> {
  const from = Date.parse(`${day}T00:00:00Z`)
  const rows = await inSnapshot(db, async (snapshot) => {
    const found = await sql<CheckpointRow>`
      select * from checkpoints where t >= ${from} and t < ${from + DAY_MS} order by frame`.execute(snapshot)
    return found.rows
  })
  const last = rows.at(-1)
  if (!last) throw new StartProblem(`No checkpoint was signed on ${day}.`)
  yield { type: 'cleartick day', version: 1, day }
  yield { keys: await keysOf(db, [...new Set(rows.map((row) => row.key))]) }
  let earliest = from
  for (const row of rows) {
    if (!withTrades) {
      yield { checkpoint: toCheckpoint(row) }
      continue
    }
    const trades = await inSnapshot(db, (snapshot) => tradesOf(snapshot, instruments, row))
    for (const { trade } of trades) earliest = Math.min(earliest, trade.trade_time)
    yield { checkpoint: toCheckpoint(row), trades }
  }
  yield* frames(db, await frameBefore(db, earliest - OLDEST_MS), Number(last.frame))
}

async function tradesOf(db: Snapshot, instruments: Instruments, row: CheckpointRow) {
  const ids = readIds(row.trade_ids)
  const rest = new Map((await settledTrades(db, ids)).map((trade) => [trade.id, trade]))
  const removed = rest.size < ids.length ? (await removedDays(db)).filter(({ day }) => day === dayOf(row)) : []
  return ids.map((id) => {
    const found = rest.get(id)
    if (!found && removed.some(({ kind }) => kind === 'archived'))
      throw new StartProblem(`Trades of this day are archived. npm run archive -- check ${dayOf(row)} checks them.`)
    if (!found && removed.length > 0)
      throw new StartProblem('Trades of this day in demo have expired: npm run verify checks what is left of them.')
    if (!found) throw new StartProblem(`A trade of the checkpoint at frame ${row.frame} is missing: run npm run verify`)
    const { trade, outcome } = leafOf(found, instruments).terms
    return { trade, outcome } as SignedTrade
  })
}

/** Returns a frame from before this time. */
async function frameBefore(db: Db, time: Ms): Promise<number> {
  const { rows } = await sql<{ frame: bigint }>`
    select frame from checkpoints where t <= ${time} order by frame desc limit 1`.execute(db)
  return Number(rows[0]?.frame ?? 0) + 1
}

async function* frames(db: Db, first: number, last: number): AsyncGenerator<DayLine> {
  for (let from = first; from <= last; from += FRAMES_AT_ONCE) {
    const to = Math.min(last, from + FRAMES_AT_ONCE - 1)
    const numbers = new Set(Array.from({ length: to - from + 1 }, (_, i) => from + i))
    const run = await inSnapshot(db, (snapshot) => readFrames(snapshot, from, to, numbers))
    if (from === first) yield { first, before: run.before.toString('hex') }
    for (const { n, t, body } of run.frames) {
      if (!body) throw new StartProblem(`The prices of frame ${n} are no longer kept (TAPE_RETENTION_DAYS).`)
      yield [t, body.toString('base64')]
    }
  }
}

async function keysOf(db: Db, ids: readonly string[]) {
  const rows = await db.selectFrom('proof_keys').select(['id', 'public_key']).where('id', 'in', ids).execute()
  return rows.map(({ id, public_key }) => ({ id, public_key: public_key.toString('hex') }))
}
