import type { Selectable } from 'kysely'
import type { TradeStatus } from '#contract/trading.ts'
import { parsePublicId } from '#kernel/id.ts'
import { accountOf, type Book, userOfSql } from '../ledger/index.ts'
import { type Db, sql, type Tx } from '../platform/db.ts'
import type { DB } from '../platform/db-types.ts'
import type { Page } from '../platform/page.ts'

export type TradeRow = Selectable<DB['trades']>

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

export interface HistoryFilter {
  userId: bigint
  book: Book
  status?: TradeStatus | undefined
  symbolId?: number | undefined
  tradeMode?: 'Buy' | 'Sell' | undefined
  page: Page
}

/** Lists a page of one account's trades, newest first, plus one extra row when there are more. */
export function tradeHistory(db: Db, filter: HistoryFilter): Promise<TradeRow[]> {
  const { after, limit } = filter.page
  return db
    .selectFrom('trades')
    .selectAll()
    .where('account_id', '=', accountOf(filter.userId, filter.book))
    .$if(filter.status !== undefined, (query) => query.where('status', '=', filter.status!))
    .$if(filter.symbolId !== undefined, (query) => query.where('symbol_id', '=', filter.symbolId!))
    .$if(filter.tradeMode !== undefined, (query) => query.where('trade_mode', '=', filter.tradeMode!))
    .$if(after !== undefined, (query) => query.where('id', '<', after!))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
}

/** Returns one trade of a user, from either book; undefined if it belongs to another user. */
export async function tradeOf(db: Db, userId: bigint, tradeId: string): Promise<TradeRow | undefined> {
  const id = parsePublicId(tradeId)
  if (id === undefined) return undefined
  return db
    .selectFrom('trades')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', 'in', [accountOf(userId, 'real'), accountOf(userId, 'demo')])
    .executeTakeFirst()
}

/** Returns trades by id. */
export function tradesByIds(db: Db | Tx, ids: readonly bigint[]): Promise<TradeRow[]> {
  return db.selectFrom('trades').selectAll().where('id', '=', sql<bigint>`any(${ids}::bigint[])`).execute()
}
