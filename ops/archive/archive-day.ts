import { createHash, randomBytes } from 'node:crypto'
import { first, must } from '#kernel/must.ts'
import { DAY_MS } from '#kernel/time.ts'
import { audited, HOST } from '#server/desk/index.ts'
import { userOfSql } from '#server/ledger/index.ts'
import { type Db, sql, type Tx } from '#server/platform/database/db.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'
import { leafHash } from '#server/platform/tree.ts'
import type { Instruments } from '#server/prices/index.ts'
import { leafOf, readIds } from '#server/proof/index.ts'
import { settledTrades } from '#server/trading/index.ts'
import { type Place, partWriter, placeOf, readParts, type Target } from '../backup/index.ts'

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

interface Outcome {
  /** Archived trades. */
  trades: number
  transfers: number
  /** Trades of the day that something still needs. */
  stayed: number
  /** Bytes in storage. */
  stored: number
}

/** The name of the stream that holds a day; its parts append their number. */
export const STREAM = 'day'
const ROWS_AT_ONCE = 5_000

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
    await sql`set local statement_timeout = 0`.execute(tx)
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
    await sql`set local synchronous_commit = on`.execute(tx)
    const { rows: lock } = await sql<{ mine: boolean }>`
      select pg_try_advisory_xact_lock(hashtext('archive')) as mine`.execute(tx)
    if (!first(lock).mine) throw new StartProblem('Another npm run archive is running.')
    const chosen = await choose(tx, deps.instruments, day)
    if (chosen.trades === 0) throw new NothingToArchive()
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
    if (!(error instanceof NothingToArchive)) throw error
  })
  if (outcome) await step('committed')
  return outcome
}

/** Thrown to roll the transaction back: a day with nothing to archive gets no record. */
class NothingToArchive extends Error {}

/**
 * Chooses the trades in the trees of the day's checkpoints, except those that something still needs, and compares each
 * with its signed leaf. An account's newest movement always stays.
 */
async function choose(tx: Tx, instruments: Instruments, day: string) {
  await sql`create temporary table leaving (ordinal bigint primary key, id bigint unique, leaf bytea) on commit drop`.execute(
    tx,
  )
  const from = Date.parse(`${day}T00:00:00Z`)
  const { rows: checkpoints } = await sql<{ frame: bigint; trade_ids: Buffer; leaves: Buffer }>`
    select frame, trade_ids, leaves from checkpoints where t >= ${from} and t < ${from + 86_400_000} order by frame`.execute(
    tx,
  )
  let all = 0
  for (const { frame, trade_ids, leaves } of checkpoints) {
    const ids = readIds(trade_ids)
    if (ids.length === 0) continue
    const signed = ids.map((_, i) => leaves.subarray(32 * i, 32 * i + 32))
    const trades = new Map((await settledTrades(tx, ids)).map((trade) => [trade.id, trade]))
    for (const [i, id] of ids.entries()) {
      const trade = trades.get(id)
      if (!trade || !leafHash(leafOf(trade, instruments).text).equals(must(signed[i])))
        throw new StartProblem(`A trade of the checkpoint at frame ${frame} differs from it: run npm run verify`)
    }
    await sql`
      insert into leaving
      select ${all} + n, id, leaf from unnest(${ids}::bigint[], ${signed}::bytea[]) with ordinality as u(id, leaf, n)`.execute(
      tx,
    )
    all += ids.length
  }
  await sql`analyze leaving`.execute(tx)
  const { rows: staying } = await sql`delete from leaving l using trades t join accounts a on a.id = t.account_id
    where t.id = l.id and (${sql.raw(NEEDED)}) returning 1`.execute(tx)
  return { ...(await hashLeaves(tx)), trades: all - staying.length, stayed: staying.length }
}

/** Whether something needs a trade `t` of the account `a`. */
const NEEDED = `t.status = 'Pending' or t.signal is not null or coalesce(starts_with(t.key, 'waiting:'), false)
  or exists (select from trade_voids v where v.trade_id = t.id)
  or exists (select from trade_remedies r where r.trade_id = t.id)
  or exists (select from complaints c where c.item = 'trade' and c.item_id = t.id)
  or exists (select from receipt_links r where r.trade_id = t.id)
  or exists (select from sale_orders s where s.account_id = t.account_id and s.trade_id = t.id)
  or exists (select from transfers m where m.cause = 'debt_repayment' and m.cause_id = t.id)
  or exists (select from transfers m where m.cause in ('trade_open', 'trade_settle') and m.cause_id = t.id and m.account_seq = a.seq)`

async function hashLeaves(tx: Tx): Promise<{ leaves: Buffer }> {
  const hash = createHash('sha256')
  const id = Buffer.alloc(8)
  for await (const row of rowsOf<{ id: bigint; leaf: Buffer }>(tx, 'select id, leaf from leaving order by ordinal')) {
    id.writeBigInt64BE(row.id)
    hash.update(id).update(row.leaf)
  }
  return { leaves: hash.digest() }
}

/** Yields the rows of a query of this room without holding all of them. */
async function* rowsOf<Row>(tx: Tx, query: string): AsyncGenerator<Row> {
  await sql.raw(`declare archive_rows no scroll cursor for ${query}`).execute(tx)
  for (;;) {
    const { rows } = await sql.raw<Row>(`fetch ${ROWS_AT_ONCE} from archive_rows`).execute(tx)
    yield* rows
    if (rows.length < ROWS_AT_ONCE) break
  }
  await sql`close archive_rows`.execute(tx)
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

const RESULT = `case when m.credit = 'balance' then m.amount when m.debit = 'balance' then -m.amount else 0 end`
const MOVED = `from leaving l join transfers m on m.cause in ('trade_open', 'trade_settle') and m.cause_id = l.id`

async function record(tx: Tx, recorded: Recorded): Promise<{ transfers: number }> {
  const { day, object, trades, leaves, parts, sha256, bytes } = recorded
  const { rows } = await sql<{ transfers: bigint }>`
    insert into archived_days (day, trades, transfers, real_result, demo_result, last_at, leaves, object, parts, sha256, bytes, keys)
    select ${day}::date, ${trades}, count(*), coalesce(sum(${sql.raw(RESULT)}) filter (where m.mode = 'real'), 0),
      coalesce(sum(${sql.raw(RESULT)}) filter (where m.mode = 'demo'), 0), max(m.at), ${leaves}, ${object}, ${parts}, ${sha256}, ${bytes},
      (select count(*) from leaving l join trades t on t.id = l.id where t.key is not null)
    ${sql.raw(MOVED)} returning transfers`.execute(tx)
  await sql`
    insert into archived_sums as s (account_id, trades, transfers, result, last_seq, last_at)
    select m.account_id, count(distinct m.cause_id), count(*), sum(${sql.raw(RESULT)}), max(m.account_seq), max(m.at)
    ${sql.raw(MOVED)} group by m.account_id
    on conflict (account_id) do update set trades = s.trades + excluded.trades, transfers = s.transfers + excluded.transfers,
      result = s.result + excluded.result, last_seq = greatest(s.last_seq, excluded.last_seq),
      last_at = greatest(s.last_at, excluded.last_at)`.execute(tx)
  return { transfers: Number(first(rows).transfers) }
}

/**
 * Removes the rows, and has the tape look again for prices that no trade needs now. The database compares the movements
 * with the record.
 */
async function remove(
  tx: Tx,
  { day, trades, transfers }: { day: string; trades: number; transfers: number },
): Promise<void> {
  const movements = await sql`
    delete from transfers m using leaving l where m.cause in ('trade_open', 'trade_settle') and m.cause_id = l.id`.execute(
    tx,
  )
  // The keys stay used, so that a repeat places no second trade.
  const { rows } = await sql<{ trades: number }>`
    with gone as (
      delete from trades t using leaving l where t.id = l.id returning t.id, t.account_id, t.key, t.fingerprint
    ), kept as (
      insert into request_keys (user_id, key, fingerprint, effect, effect_id)
      select ${sql.raw(userOfSql('account_id'))}, key, fingerprint, 'archived_trade', id from gone where key is not null
    )
    select count(*)::int as trades from gone`.execute(tx)
  // A link to a receipt may have been made meanwhile; none can be made from here to the commit.
  await sql`lock table receipt_links in share mode`.execute(tx)
  const { rows: linked } = await sql`select from receipt_links r join leaving l on l.id = r.trade_id limit 1`.execute(
    tx,
  )
  if (linked.length > 0) throw new StartProblem('A trader has just shared one of these trades. Run it again.')
  if (movements.numAffectedRows !== BigInt(transfers) || first(rows).trades !== trades)
    throw new StartProblem('The rows changed while they were archived: nothing was removed.')
  // Last, because it holds off the tape's own upkeep. A trade is settled at most two days after it began.
  await sql`update tape_expiry set until = least(until, ${Date.parse(`${day}T00:00:00Z`) - 2 * DAY_MS})`.execute(tx)
}
