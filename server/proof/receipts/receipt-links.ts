import { randomBytes } from 'node:crypto'
import { Problem } from '#contract/problem.ts'
import { type Db, inSnapshot, sql } from '../../platform/database/db.ts'
import { settledTradeOf } from '../../trading/index.ts'

/** Returns the token of the link to a user's receipt; creates one if there is none. */
export async function shareReceipt(db: Db, userId: bigint, tradeId: bigint): Promise<string> {
  const trade = await inSnapshot(db, (snapshot) => settledTradeOf(snapshot, userId, tradeId))
  if (!trade) throw new Problem('not_found', 'Trade not found.')
  if (trade.settled === null)
    throw new Problem('wrong_state', 'The trade is still open. Its receipt follows the result.')
  const created = randomBytes(16).toString('base64url')
  const { rows } = await sql<{ token: string }>`
    insert into receipt_links (user_id, trade_id, token) values (${userId}, ${tradeId}, ${created})
    on conflict (user_id, trade_id) do nothing returning token`.execute(db)
  if (rows[0]) return rows[0].token
  const existing = await linkOf(db, userId, tradeId)
  if (existing === undefined) throw new Problem('wrong_state', 'The link was just revoked. Create a new one.')
  return existing
}

/** Returns the token of the link to a user's receipt, if there is one. */
export async function linkOf(db: Db, userId: bigint, tradeId: bigint): Promise<string | undefined> {
  const row = await db
    .selectFrom('receipt_links')
    .select('token')
    .where('user_id', '=', userId)
    .where('trade_id', '=', tradeId)
    .executeTakeFirst()
  return row?.token
}

/** Makes the link to a user's receipt invalid, if there is one. */
export async function revokeLink(db: Db, userId: bigint, tradeId: bigint): Promise<void> {
  await db.deleteFrom('receipt_links').where('user_id', '=', userId).where('trade_id', '=', tradeId).execute()
}

/** Returns whose receipt a link shows. */
export const linkedReceipt = (db: Db, token: string): Promise<{ user_id: bigint; trade_id: bigint } | undefined> =>
  db.selectFrom('receipt_links').select(['user_id', 'trade_id']).where('token', '=', token).executeTakeFirst()
