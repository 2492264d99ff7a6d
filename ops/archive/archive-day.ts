import { createHash, randomBytes } from 'node:crypto'
import { first } from '#kernel/must.ts'
import { audited, HOST } from '#server/desk/index.ts'
import { type Db, sql, type Tx } from '#server/platform/database/db.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'
import type { Instruments } from '#server/prices/index.ts'
import { type Place, partWriter, placeOf, readParts, type Target } from '../backup/index.ts'
import { addSums, beginRemoval, choose, KEYS, MOVED, NothingToRemove, RESULT, remove, rowsOf } from './removal.ts'

/**
 * The step that has just finished. Until `committed` the rows are in the database; from `stored` on they are in the
 * files.
 */
export type Step = 'chosen' | 'stored' | 'compared' | 'recorded' | 'removed' | 'committed'

export interface ArchiveDeps {
  /** A connection of the owner or a superuser: the application's role can't remove rows. */
  db: Db
  instruments: Instruments
  target: Target
  /** The key of backups, 32 bytes. */
  key: Buffer
  /** Called after each step. */
  step?(step: Step): void | Promise<void>
}

export interface Outcome {
  /** Removed trades. */
  trades: number
  transfers: number
  /** Trades of the day that something still needs. */
  stayed: number
  /** Bytes in storage; undefined if nothing was stored. */
  stored?: number
}

/** The name of the stream that holds a day; its parts append their number. */
export const STREAM = 'day'

/**
 * Archives the trades of a day and their movements in one transaction: writes them to files, reads those back and
 * compares them, and only then removes the rows and records the day. If it's killed at any point, either all rows are
 * still in the database (and files may exist that no record names), or the record and complete files exist. Returns
 * undefined if there is nothing to archive.
 */
export async function archiveDay(deps: ArchiveDeps, day: string): Promise<Outcome | undefined> {
  const step = deps.step ?? (() => undefined)
  let outcome: Outcome | undefined
  await audited(deps.db, HOST, async (tx) => {
    await beginRemoval(tx)
    const chosen = await choose(tx, deps.instruments, day)
    if (chosen.trades === 0) throw new NothingToRemove()
    await step('chosen')
    const object = `${day}-${randomBytes(8).toString('hex')}`
    const place = placeOf(deps.target, deps.key, object)
    const written = await store(tx, place, day)
    await step('stored')
    await compare(place, written)
    await step('compared')
    const { transfers } = await record(tx, { day, object, ...chosen, ...written })
    await step('recorded')
    await remove(tx, { day, trades: chosen.trades, transfers })
    await step('removed')
    outcome = { trades: chosen.trades, transfers, stayed: chosen.stayed, stored: written.stored }
    const after = { object, parts: written.parts, sha256: written.sha256.toString('hex'), ...outcome }
    return { entry: { action: 'archive', item: { kind: 'archive', id: day }, after }, answer: undefined }
  }).catch((error: unknown) => {
    if (!(error instanceof NothingToRemove)) throw error
  })
  if (outcome) await step('committed')
  return outcome
}

interface Written {
  parts: number
  stored: number
  bytes: number
  sha256: Buffer
}

/** The rows of each kind as lines of JSON, in an order that doesn't depend on where they are stored. */
const QUERIES = [
  ['trade', 'select row_to_json(t)::text as row from leaving l join trades t on t.id = l.id order by t.id'],
  [
    'transfer',
    `select row_to_json(m)::text as row from leaving l
     join transfers m on m.cause in ('trade_open', 'trade_settle') and m.cause_id = l.id order by m.cause_id, m.cause, m.part`,
  ],
  // The prices that decided them, which the database may drop once no trade needs them.
  [
    'minute',
    `select row_to_json(b)::text as row from tape_bodies b where b.minute in (
       select m.at / 60000 * 60000 from leaving l join trades t on t.id = l.id,
         lateral (values (t.trade_time - 10000), (t.trade_time), (t.entry_time), (t.exit_time), (t.end_time)) m(at)
     ) order by b.minute`,
  ],
] as const

/** Writes the day: a line each, a word for its kind and the row as JSON. Durable once it returns. */
async function store(tx: Tx, place: Place, day: string): Promise<Written> {
  const writer = partWriter(place, STREAM)
  const hash = createHash('sha256')
  let bytes = 0
  const write = async (text: string) => {
    const line = Buffer.from(text)
    hash.update(line)
    bytes += line.length
    await writer.write(line)
  }
  await write(`archive ${JSON.stringify({ format: 1, day })}\n`)
  for (const [kind, query] of QUERIES) {
    let lines = ''
    for await (const { row } of rowsOf<{ row: string }>(tx, query)) {
      lines += `${kind} ${row}\n`
      if (lines.length < 1 << 20) continue
      await write(lines)
      lines = ''
    }
    await write(lines)
  }
  return { ...(await writer.finish()), bytes, sha256: hash.digest() }
}

/** Reads the written files back from storage. */
async function compare(place: Place, { parts, sha256 }: Written): Promise<void> {
  const hash = createHash('sha256')
  for await (const part of readParts(place, STREAM, parts)) hash.update(part)
  if (!hash.digest().equals(sha256)) throw new StartProblem('The archive reads back differently: nothing was removed.')
}

interface Recorded extends Written {
  day: string
  object: string
  trades: number
  leaves: Buffer
}

async function record(tx: Tx, recorded: Recorded): Promise<{ transfers: number }> {
  const { day, object, trades, leaves, parts, sha256, bytes } = recorded
  const { rows } = await sql<{ transfers: bigint }>`
    insert into archived_days (day, trades, transfers, real_result, demo_result, last_at, leaves, object, parts, sha256, bytes, keys)
    select ${day}::date, ${trades}, count(*), coalesce(sum(${sql.raw(RESULT)}) filter (where m.mode = 'real'), 0),
      coalesce(sum(${sql.raw(RESULT)}) filter (where m.mode = 'demo'), 0), max(m.at), ${leaves}, ${object}, ${parts}, ${sha256}, ${bytes},
      ${sql.raw(KEYS)}
    ${sql.raw(MOVED)} returning transfers`.execute(tx)
  await addSums(tx)
  return { transfers: Number(first(rows).transfers) }
}
