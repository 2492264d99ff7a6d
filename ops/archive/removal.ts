import { createHash } from 'node:crypto'
import type { Mode } from '#contract/trading/trading.ts'
import { first, must } from '#kernel/must.ts'
import { DAY_MS } from '#kernel/time.ts'
import { expiredIds, userOfSql } from '#server/ledger/index.ts'
import { sql, type Tx } from '#server/platform/database/db.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'
import { leafHash } from '#server/platform/tree.ts'
import type { Instruments } from '#server/prices/index.ts'
import { leafOf, readIds } from '#server/proof/index.ts'
import { settledTrades } from '#server/trading/index.ts'

const ROWS_AT_ONCE = 5_000

/** Thrown to roll the transaction back: a day with nothing to remove gets no record. */
export class NothingToRemove extends Error {}

/** Begins a transaction that removes a day's trades: it takes as long as it takes, and one runs at a time. */
export async function beginRemoval(tx: Tx): Promise<void> {
  await sql`set local statement_timeout = 0`.execute(tx)
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
  await sql`set local synchronous_commit = on`.execute(tx)
  const { rows: lock } = await sql<{ mine: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('archive')) as mine`.execute(tx)
  if (!first(lock).mine) throw new StartProblem('Another npm run archive is running.')
}

interface Chosen {
  trades: number
  /** Trades of the day that something still needs. */
  stayed: number
  /** sha256 over the id and the leaf of each trade, in the order of the checkpoints. */
  leaves: Buffer
}

/**
 * Chooses the trades in the trees of the day's checkpoints, of one mode or both, except those that something still needs,
 * and compares each with its signed leaf. An account's newest movement always stays.
 */
export async function choose(tx: Tx, instruments: Instruments, day: string, mode?: Mode): Promise<Chosen> {
  await sql`create temporary table leaving (ordinal bigint primary key, id bigint unique, leaf bytea) on commit drop`.execute(
    tx,
  )
  const from = Date.parse(`${day}T00:00:00Z`)
  const { rows: checkpoints } = await sql<{ frame: bigint; trade_ids: Buffer; leaves: Buffer }>`
    select frame, trade_ids, leaves from checkpoints where t >= ${from} and t < ${from + 86_400_000} order by frame`.execute(
    tx,
  )
  const expired = new Set(readIds(await expiredIds(tx, day)))
  let all = 0
  for (const { frame, trade_ids, leaves } of checkpoints) {
    const stated = readIds(trade_ids).map((id, i) => ({ id, leaf: leaves.subarray(32 * i, 32 * i + 32) }))
    const here = stated.filter(({ id }) => !expired.has(id))
    if (here.length === 0) continue
    const ids = here.map(({ id }) => id)
    const signed = here.map(({ leaf }) => leaf)
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
  if (mode) {
    const { numAffectedRows } = await sql`
      delete from leaving l using trades t join accounts a on a.id = t.account_id
      where t.id = l.id and a.mode <> ${mode}`.execute(tx)
    all -= Number(numAffectedRows)
  }
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

/** Yields the rows of a query without holding all of them. */
export async function* rowsOf<Row>(tx: Tx, query: string): AsyncGenerator<Row> {
  await sql.raw(`declare archive_rows no scroll cursor for ${query}`).execute(tx)
  for (;;) {
    const { rows } = await sql.raw<Row>(`fetch ${ROWS_AT_ONCE} from archive_rows`).execute(tx)
    yield* rows
    if (rows.length < ROWS_AT_ONCE) break
  }
  await sql`close archive_rows`.execute(tx)
}

export const RESULT = `case when m.credit = 'balance' then m.amount when m.debit = 'balance' then -m.amount else 0 end`
/** The movements of the trades that were chosen. */
export const MOVED = `from leaving l join transfers m on m.cause in ('trade_open', 'trade_settle') and m.cause_id = l.id`
/** How many keys they have used. */
export const KEYS = '(select count(*) from leaving l join trades t on t.id = l.id where t.key is not null)'

/** Adds the movements to the sums of their accounts. */
export async function addSums(tx: Tx): Promise<void> {
  await sql`
    insert into archived_sums as s (account_id, trades, transfers, result, last_seq, last_at)
    select m.account_id, count(distinct m.cause_id), count(*), sum(${sql.raw(RESULT)}), max(m.account_seq), max(m.at)
    ${sql.raw(MOVED)} group by m.account_id
    on conflict (account_id) do update set trades = s.trades + excluded.trades, transfers = s.transfers + excluded.transfers,
      result = s.result + excluded.result, last_seq = greatest(s.last_seq, excluded.last_seq),
      last_at = greatest(s.last_at, excluded.last_at)`.execute(tx)
}

/**
 * Removes the rows, and has the tape look again for prices that no trade needs now. The database compares the movements
 * with the record.
 */
export async function remove(
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
