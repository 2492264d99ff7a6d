import type { Selectable } from 'kysely'
import { percentOf } from '#contract/trading/trading.ts'
import type { WaitingOrder } from '#contract/trading/waiting.ts'
import { publicId } from '#kernel/id.ts'
import { usdToNumber } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import { formatPrice, price } from '#kernel/price.ts'
import { toIso } from '#kernel/time.ts'
import type { ReadArmed } from '../alerts/index.ts'
import { modeOf } from '../ledger/index.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'
import type { DB } from '../platform/database/db-types.ts'
import type { Instruments } from '../prices/index.ts'

export type WaitingRow = Selectable<DB['waiting_orders']>
/** What the trader set, and the tick when the order was placed or moved. */
export type StoredTerms = Pick<
  WaitingRow,
  | 'symbol_id'
  | 'side'
  | 'strike_rate'
  | 'stake'
  | 'duration_seconds'
  | 'condition'
  | 'level'
  | 'at_ms'
  | 'valid_until_ms'
  | 'base_price'
  | 'base_seq'
  | 'base_ms'
>

/** How many orders that ended are listed. */
const ENDED_SHOWN = 20

/** Returns the account's orders: those that wait, then the newest that ended. */
export async function ordersOf(db: Db, accountId: bigint): Promise<WaitingRow[]> {
  const { rows } = await sql<WaitingRow>`
    (select * from waiting_orders where account_id = ${accountId} and ended_at is null order by id desc)
    union all
    (select * from waiting_orders where account_id = ${accountId} and ended_at is not null order by id desc limit ${ENDED_SHOWN})`.execute(
    db,
  )
  return rows
}

/** Returns an order of one of these accounts. */
export const orderOf = (db: Db, accountIds: readonly bigint[], id: bigint): Promise<WaitingRow | undefined> =>
  selectOrder(db, accountIds, id).executeTakeFirst()

/** Writes an order in the account's first free place; undefined if all are taken. The caller has the lock of the user's row. */
export async function insertOrder(
  tx: Tx,
  accountId: bigint,
  terms: StoredTerms,
  places: number,
): Promise<WaitingRow | undefined> {
  const { rows } = await sql<{ place: number }>`
    select s as place from generate_series(1, ${places}::int) s
    where not exists (select from waiting_orders o where o.account_id = ${accountId} and o.slot = s) order by s limit 1`.execute(
    tx,
  )
  const place = rows[0]?.place
  if (place === undefined) return undefined
  return tx
    .insertInto('waiting_orders')
    .values({ account_id: accountId, slot: place, ...terms })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Returns an order of one of these accounts, locked. */
export const lockOrder = (tx: Tx, accountIds: readonly bigint[], id: bigint): Promise<WaitingRow | undefined> =>
  selectOrder(tx, accountIds, id).forNoKeyUpdate().executeTakeFirst()

const selectOrder = (db: Db | Tx, accountIds: readonly bigint[], id: bigint) =>
  db
    .selectFrom('waiting_orders')
    .selectAll()
    .where('account_id', 'in', [...accountIds])
    .where('id', '=', id)

type Moved = Pick<WaitingRow, 'level' | 'base_price' | 'base_seq' | 'base_ms'>

export const moveOrder = (tx: Tx, { account_id, id }: WaitingRow, terms: Moved): Promise<WaitingRow> =>
  tx
    .updateTable('waiting_orders')
    .set({ ...terms, arming: sql<number>`arming + 1`, changed: sql`pg_current_xact_id()` })
    .where('account_id', '=', account_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const deleteOrder = (tx: Tx, { account_id, id }: WaitingRow) =>
  tx.deleteFrom('waiting_orders').where('account_id', '=', account_id).where('id', '=', id).execute()

/** Deletes the orders of these accounts that wait, and returns its numbers. */
export async function deleteWaiting(tx: Tx, accountIds: readonly bigint[]): Promise<bigint[]> {
  const rows = await tx
    .deleteFrom('waiting_orders')
    .where('account_id', 'in', [...accountIds])
    .where('status', '=', 'Waiting')
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Ends the orders of these accounts that were triggered and have no trade. */
export async function refuseTriggered(tx: Tx, accountIds: readonly bigint[], reason: string): Promise<void> {
  await sql`
    update waiting_orders set status = 'Refused', reason = ${reason}, slot = null, ended_at = clock_timestamp()
    where account_id = any (${accountIds}::bigint[]) and status = 'Triggered'`.execute(tx)
}

/** Returns an order as its owner sees it. */
export function toOrder(instruments: Instruments, row: WaitingRow): WaitingOrder {
  const { symbol, scale } = must(instruments.byId(row.symbol_id))
  const text = (units: bigint) => formatPrice(price(units), scale)
  const isTimed = row.condition === 'at_time'
  return {
    id: String(row.id),
    mode: modeOf(row.account_id),
    symbol,
    trade_mode: row.side,
    amount: usdToNumber(row.stake),
    strike_rate: row.strike_rate,
    percent: percentOf(row.strike_rate, row.side),
    duration: row.duration_seconds,
    condition: row.condition,
    ...(row.level !== null && { level: text(row.level) }),
    ...(row.at_ms !== null && { at: toIso(Number(row.at_ms)) }),
    ...(row.valid_until_ms !== null && !isTimed && { valid_until: toIso(Number(row.valid_until_ms)) }),
    created_at: row.created_at.toISOString(),
    status: row.status,
    ...(row.trigger_price !== null && {
      triggered: { price: text(row.trigger_price), at: toIso(Number(row.trigger_ms)) },
    }),
    ...(row.trade_id !== null && { trade_id: publicId(row.trade_id) }),
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.ended_at !== null && { ended_at: row.ended_at.toISOString() }),
  }
}

/** Returns the orders that were placed or moved since a snapshot, and still wait. */
export async function changedOrders(db: Db, xmin: string): Promise<ReadArmed<WaitingRow>> {
  const { rows } = await sql<WaitingRow & { xmin: string; id: bigint | null }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as xmin, o.*
    from (select) one left join waiting_orders o on o.status = 'Waiting' and o.changed >= ${xmin}::xid8`.execute(db)
  return { rows: rows.filter(({ id }) => id !== null), xmin: must(rows[0]).xmin }
}

const PAGE = 5_000

/** Returns all orders that wait. */
export async function waitingOrders(db: Db): Promise<ReadArmed<WaitingRow>> {
  const begun = await sql<{ xmin: string }>`select pg_snapshot_xmin(pg_current_snapshot())::text as xmin`.execute(db)
  const rows: WaitingRow[] = []
  for (let [account, after] = [0n, 0n]; ; ) {
    const page = await sql<WaitingRow>`
      select * from waiting_orders where status = 'Waiting' and (account_id, id) > (${account}::bigint, ${after}::bigint)
      order by account_id, id limit ${PAGE}`.execute(db)
    for (const row of page.rows) rows.push(row)
    const last = page.rows.at(-1)
    if (!last || page.rows.length < PAGE) return { rows, xmin: must(begun.rows[0]).xmin }
    ;[account, after] = [last.account_id, last.id]
  }
}

export async function judgedUntil(db: Db): Promise<number> {
  const { judged_ms } = await db.selectFrom('waiting_head').select('judged_ms').executeTakeFirstOrThrow()
  return Number(judged_ms)
}

export async function recordJudged(db: Db, until: number): Promise<void> {
  await sql`update waiting_head set judged_ms = ${Math.floor(until)} where judged_ms < ${Math.floor(until)}`.execute(db)
}
