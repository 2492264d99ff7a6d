import { Problem } from '#contract/problem.ts'
import { TAGS_MOST } from '#contract/terms.ts'
import type { Mode, TradeNote } from '#contract/trading/trading.ts'
import { first } from '#kernel/must.ts'
import { accountOf } from '../../ledger/index.ts'
import { type Db, inTransaction, sql, type Tx } from '../../platform/database/db.ts'

/** Stores a trader's note and tags of one of their trades. Returns undefined if the trade isn't theirs. */
export function keepNote(
  db: Db,
  userId: bigint,
  tradeId: bigint,
  { note, tags }: TradeNote,
): Promise<TradeNote | undefined> {
  return inTransaction(db, async (tx) => {
    const { rows } = await sql<{ account_id: bigint }>`
      select account_id from trades where id = ${tradeId}
        and account_id in (${accountOf(userId, 'real')}, ${accountOf(userId, 'demo')})`.execute(tx)
    const accountId = rows[0]?.account_id
    if (accountId === undefined) return undefined
    const known = await lockTags(tx, accountId)
    await sql`delete from trade_notes where account_id = ${accountId} and trade_id = ${tradeId}`.execute(tx)
    // Those that no other trade has are forgotten, and make room.
    const used = await tagsInUse(tx, accountId, known)
    const all = [...new Set([...used, ...tags])].sort()
    if (all.length > TAGS_MOST)
      throw new Problem(
        'limit_reached',
        `You already have ${TAGS_MOST} different tags. Use one of them, or remove one.`,
      )
    if (note !== '' || tags.length > 0)
      await sql`
        insert into trade_notes (account_id, trade_id, note, tags)
        values (${accountId}, ${tradeId}, ${note}, ${tags}::text[])`.execute(tx)
    await sql`update trade_tags set tags = ${all}::text[] where account_id = ${accountId}`.execute(tx)
    return { note, tags }
  })
}

/** Locks an account's list of tags, and returns it. */
async function lockTags(tx: Tx, accountId: bigint): Promise<string[]> {
  const { rows } = await sql<{ tags: string[] }>`
    insert into trade_tags as t (account_id, tags) values (${accountId}, '{}')
    on conflict (account_id) do update set tags = t.tags returning tags`.execute(tx)
  return first(rows).tags
}

async function tagsInUse(tx: Tx, accountId: bigint, tags: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ tag: string }>`
    select tag from unnest(${tags}::text[]) tag
    where exists (select from trade_notes n where n.account_id = ${accountId} and n.tags @> array[tag])`.execute(tx)
  return rows.map(({ tag }) => tag)
}

/** Returns what its trader wrote about a trade. */
export async function noteOf(
  db: Db,
  { id, account_id }: { id: bigint; account_id: bigint },
): Promise<TradeNote | undefined> {
  const { rows } = await sql<TradeNote>`
    select note, tags from trade_notes where account_id = ${account_id} and trade_id = ${id}`.execute(db)
  return rows[0]
}

/** Returns the different tags of an account, in alphabetical order. */
export async function tagsOf(db: Db, userId: bigint, mode: Mode): Promise<string[]> {
  const { rows } = await sql<{ tags: string[] }>`
    select tags from trade_tags where account_id = ${accountOf(userId, mode)}`.execute(db)
  return rows[0]?.tags ?? []
}
