import type { Selectable } from 'kysely'
import type { TradeOrigin } from '#contract/terms.ts'
import type { Mode, StrikeRate, TradeSide, TradeStatus } from '#contract/trading/trading.ts'
import { idFloor } from '#kernel/id.ts'
import { must } from '#kernel/must.ts'
import { DAY_MS, HOUR_MS, type Ms } from '#kernel/time.ts'
import { accountOf, completeFromSql, userOfSql } from '../ledger/index.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'
import type { DB } from '../platform/database/db-types.ts'
import type { Page } from '../platform/http/page.ts'
import { entrySql } from './acceptance/entries/entry.sql.ts'
import { hourSql, localSql, weekdaySql } from './history/local-time.ts'

export type TradeRow = Selectable<DB['trades']>

/** A whole number of the database: read as a bigint, or as a number where it is known to be exact. */
export type Whole = bigint | number

/** An order to sell as JSON; numbers are exact. */
export type SaleJson = [
  at: number,
  minimum: number,
  outcome: 'sold' | 'unsold' | null,
  says: string | null,
  fee: number | null,
]

/** SQL: the newest order to sell a trade `t`. */
const SALE_SQL = `(
  select json_build_array(s.at, s.minimum, s.outcome, s.says, s.fee) from sale_orders s
  where s.account_id = t.account_id and s.trade_id = t.id order by s.at desc limit 1
)`

/** The columns of a trade that its owner or an operator sees. */
export interface ShownTradeRow
  extends Pick<
    TradeRow,
    | 'mode'
    | 'symbol_id'
    | 'side'
    | 'strike_rate'
    | 'percent'
    | 'duration_seconds'
    | 'rule_version'
    | 'price_list'
    | 'status'
    | 'outcome_reason'
    | 'key'
  > {
  id: bigint
  stake: Whole
  trade_time: Whole
  end_time: Whole
  entry_price: Whole | null
  entry_time: Whole | null
  exit_price: Whole | null
  exit_time: Whole | null
  /** Unix ms if it is a number. */
  settled_at: Date | Ms | null
  payout: Whole | null
  signal: bigint | string | null
  sale_rule: string | null
  /** The newest order to sell it, where it was read. */
  sale?: SaleJson | null | undefined
  /** What the trader wrote about it, where it was read. */
  note?: string | null | undefined
  tags?: string[] | null | undefined
  /** What a ruling returned later, where it was read. */
  returned?: Whole | null | undefined
}

/** The columns that a trade's entry is in, and those that it follows from. */
type EntryColumns = Pick<ShownTradeRow, 'id' | 'symbol_id' | 'trade_time' | 'status' | 'entry_price' | 'entry_time'>

/** Returns the trades with the entries that the tape has for open ones, which have them written later (entry.sql.ts). */
export async function withEntries<Row extends EntryColumns>(
  db: Db | Tx,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const unwritten = rows.filter((row) => row.status === 'Pending' && row.entry_price === null)
  if (unwritten.length === 0) return rows
  const { rows: entries } = await sql<{ id: bigint; price: bigint; source_ms: bigint; seq: bigint }>`
    select t.id, e.* from unnest(${unwritten.map(({ id }) => id)}::bigint[], ${unwritten.map((row) => row.symbol_id)}::smallint[],
      ${unwritten.map((row) => row.trade_time)}::bigint[]) as t(id, symbol_id, trade_time),
      lateral (${sql.raw(entrySql('t'))}) e`.execute(db)
  const found = new Map(entries.map((entry) => [entry.id, entry]))
  return rows.map((row) => {
    const entry = row.status === 'Pending' ? found.get(row.id) : undefined
    return entry ? { ...row, entry_price: entry.price, entry_time: entry.source_ms, entry_seq: entry.seq } : row
  })
}

/** Returns the trade that a user's key belongs to. */
export function tradeUnderKey(db: Db, userId: bigint, key: string): Promise<TradeRow | undefined> {
  return db
    .selectFrom('trades')
    .selectAll()
    .where('key', '=', key)
    .where(sql.raw(userOfSql('account_id')), '=', userId)
    .executeTakeFirst()
}

/** Whether a user's key belongs to a trade. */
export async function isTradeKey(db: Db | Tx, userId: bigint, key: string): Promise<boolean> {
  const { rows } = await sql`
    select from trades where ${sql.raw(userOfSql('account_id'))} = ${userId} and key = ${key}`.execute(db)
  return rows.length > 0
}

export interface TradeFilter {
  userId: bigint
  mode: Mode
  status?: TradeStatus | undefined
  /** Those that were won, or sold for more than their stake. */
  profits?: boolean | undefined
  symbolId?: number | undefined
  side?: TradeSide | undefined
  /** Placed from then until before then. */
  from?: Ms | undefined
  until?: Ms | undefined
  endedFrom?: Ms | undefined
  endedUntil?: Ms | undefined
  percent?: number | undefined
  durationSeconds?: number | undefined
  origin?: TradeOrigin | undefined
  tag?: string | undefined
  /** Of the end, in the zone. */
  hour?: number | undefined
  weekday?: number | undefined
  zone?: string | undefined
}

interface HistoryFilter extends TradeFilter {
  page: Page
}

/** An id and the time of its trade come from different clocks. */
const ID_SLACK_MS = HOUR_MS

/** The longest duration of a trade. */
const LONGEST_MS = DAY_MS

/** Selects an account's trades of a time, newest first. Ids follow time, so the index bounds what is read. */
export function tradesOf(db: Db, { userId, mode, endedFrom, endedUntil, ...placed }: TradeFilter) {
  const from = endedFrom === undefined ? placed.from : Math.max(placed.from ?? 0, endedFrom - LONGEST_MS)
  const until = endedUntil === undefined ? placed.until : Math.min(placed.until ?? endedUntil, endedUntil)
  return db
    .selectFrom('trades')
    .selectAll()
    .where('account_id', '=', accountOf(userId, mode))
    .$if(from !== undefined, (query) =>
      query.where('id', '>', idFloor(must(from) - ID_SLACK_MS)).where('trade_time', '>=', BigInt(must(from))),
    )
    .$if(until !== undefined, (query) =>
      query.where('id', '<', idFloor(must(until) + ID_SLACK_MS)).where('trade_time', '<', BigInt(must(until))),
    )
    .orderBy('id', 'desc')
}

/** SQL: the ids of an account's trades with a tag. */
const taggedSql = ({ userId, mode }: TradeFilter, tag: string) =>
  sql`select n.trade_id from trade_notes n where n.account_id = ${accountOf(userId, mode)} and n.tags @> ${[tag]}::text[]`

/** SQL: when a trade ended, or ends: one that was sold at the price that sold it. */
export const ENDED = "(case when status = 'Sold' then exit_time else end_time end)"
const ENDED_SQL = sql.raw(ENDED)

/** SQL: whether a trade that was read matches a filter, but for what `tradesOf` reads. */
export function matchesSql(filter: TradeFilter) {
  const { status, symbolId, side, endedFrom, endedUntil, percent, durationSeconds, origin, hour, weekday } = filter
  const local = localSql(ENDED, filter.zone ?? 'UTC')
  const conditions = [
    status !== undefined && sql`status = ${status}`,
    filter.profits && sql`status in ('Won', 'Sold') and payout > stake`,
    symbolId !== undefined && sql`symbol_id = ${symbolId}`,
    side !== undefined && sql`side = ${side}`,
    endedFrom !== undefined && sql`${ENDED_SQL} >= ${endedFrom}`,
    endedUntil !== undefined && sql`${ENDED_SQL} < ${endedUntil}`,
    percent !== undefined && sql`percent = ${percent}`,
    durationSeconds !== undefined && sql`duration_seconds = ${durationSeconds}`,
    origin !== undefined && (origin === 'automatic' ? sql`signal is not null` : sql`signal is null`),
    filter.tag !== undefined && sql`id in (${taggedSql(filter, filter.tag)})`,
    hour !== undefined && sql`${hourSql(local)} = ${hour}`,
    weekday !== undefined && sql`${weekdaySql(local)} = ${weekday}`,
  ].filter((condition) => condition !== false && condition !== undefined)
  return sql<boolean>`(${sql.join([sql`true`, ...conditions], sql` and `)})`
}

/** The columns of a trade that are shown, in order. Every number is exact as a float, except those that are text. */
const SHOWN_COLUMNS = `t.id::text, t.mode, t.symbol_id, t.side, t.strike_rate, t.percent, t.stake, t.duration_seconds,
  t.trade_time, t.end_time, t.rule_version, t.status, t.entry_price, t.entry_time, t.exit_price, t.exit_time,
  floor(extract(epoch from t.settled_at) * 1000)::bigint, t.payout, t.outcome_reason, t.signal::text, t.sale_rule, ${SALE_SQL}, t.price_list, t.key`

type ShownJson = [
  id: string,
  mode: Mode,
  symbolId: number,
  side: TradeSide,
  strikeRate: StrikeRate,
  percent: number,
  stake: number,
  durationSeconds: number,
  tradeTime: number,
  endTime: number,
  ruleVersion: string,
  status: TradeStatus,
  entryPrice: number | null,
  entryTime: number | null,
  exitPrice: number | null,
  exitTime: number | null,
  settledAt: number | null,
  payout: number | null,
  outcomeReason: string | null,
  signal: string | null,
  saleRule: string | null,
  sale: SaleJson | null,
  priceList: number | null,
  key: string | null,
  note?: string | null,
  tags?: string[] | null,
  returned?: number | null,
]

export interface TradePage {
  rows: readonly ShownTradeRow[]
  /** Trades that ended before this UTC day (YYYY-MM-DD) may be archived: the list lacks them. */
  archivedBefore: string | undefined
}

/**
 * Lists a page of one account's trades, newest first, plus one extra row when there are more. The page arrives as one
 * JSON text: a thousand values that the driver reads one by one cost several times as much.
 */
export async function tradeHistory(db: Db, filter: HistoryFilter): Promise<TradePage> {
  const { after, limit } = filter.page
  const page = tradesOf(db, filter)
    .where(matchesSql(filter))
    .$if(after !== undefined, (query) => query.where('id', '<', must(after)))
    .limit(limit + 1)
  const archived = sql.raw(completeFromSql(String(accountOf(filter.userId, filter.mode))))
  const { rows } = await sql<{ page: ShownJson[] | null; archived_before: string | null }>`
    select json_agg(json_build_array(${sql.raw(SHOWN_COLUMNS)}, n.note, n.tags, r.amount) order by t.id desc) as page,
      ${archived} as archived_before
    from (${page}) t left join trade_notes n on n.account_id = t.account_id and n.trade_id = t.id
      left join trade_remedies r on r.trade_id = t.id`.execute(db)
  const shown = await withEntries(db, (rows[0]?.page ?? []).map(rowOf))
  return { rows: shown, archivedBefore: rows[0]?.archived_before ?? undefined }
}

/** Returns those of the trades `ids` that belong to `userIds`, each with its owner. */
export async function shownTrades(
  db: Db,
  ids: readonly bigint[],
  userIds: readonly bigint[],
): Promise<{ userId: bigint; row: ShownTradeRow }[]> {
  const owner = sql.raw(userOfSql('t.account_id'))
  const { rows } = await sql<{ trades: { owner: string; trade: ShownJson }[] | null }>`
    select json_agg(json_build_object('owner', ${owner}::text, 'trade', json_build_array(${sql.raw(SHOWN_COLUMNS)}))) as trades
    from trades t where t.id = any(${ids}::bigint[]) and ${owner} = any(${userIds}::bigint[])`.execute(db)
  const found = rows[0]?.trades ?? []
  const shown = await withEntries(
    db,
    found.map(({ trade }) => rowOf(trade)),
  )
  return shown.map((row, i) => ({ userId: BigInt(must(found[i]).owner), row }))
}

function rowOf(json: ShownJson): ShownTradeRow {
  return {
    id: BigInt(json[0]),
    mode: json[1],
    symbol_id: json[2],
    side: json[3],
    strike_rate: json[4],
    percent: json[5],
    stake: json[6],
    duration_seconds: json[7],
    trade_time: json[8],
    end_time: json[9],
    rule_version: json[10],
    status: json[11],
    entry_price: json[12],
    entry_time: json[13],
    exit_price: json[14],
    exit_time: json[15],
    settled_at: json[16],
    payout: json[17],
    outcome_reason: json[18],
    signal: json[19],
    sale_rule: json[20],
    sale: json[21],
    price_list: json[22],
    key: json[23],
    note: json[24],
    tags: json[25],
    returned: json[26],
  }
}

/** Returns one trade of a user, in either mode; undefined if it belongs to another user. */
export async function tradeOf(db: Db | Tx, userId: bigint, id: bigint): Promise<TradeRow | undefined> {
  const rows = await db
    .selectFrom('trades')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', 'in', [accountOf(userId, 'real'), accountOf(userId, 'demo')])
    .execute()
  return (await withEntries(db, rows))[0]
}

/** Returns the newest order to sell a trade. */
export async function saleOf(db: Db, { id, account_id }: Pick<TradeRow, 'id' | 'account_id'>) {
  const { rows } = await sql<{ sale: SaleJson | null }>`
    select ${sql.raw(SALE_SQL)} as sale from (values (${id}::bigint, ${account_id}::bigint)) t(id, account_id)`.execute(
    db,
  )
  return rows[0]?.sale
}

/** Returns trades by id. */
export async function tradesByIds(db: Db | Tx, ids: readonly bigint[]): Promise<readonly TradeRow[]> {
  const rows = await db.selectFrom('trades').selectAll().where('id', '=', sql<bigint>`any(${ids}::bigint[])`).execute()
  return withEntries(db, rows)
}
