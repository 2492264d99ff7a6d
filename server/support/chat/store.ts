import type { ChatMessage } from '#contract/messages/chat.ts'
import { first } from '#kernel/must.ts'
import { findAnyUser, hashOf } from '../../identity/index.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'

/** A conversation with the columns that both sides need. */
export interface ChatRow {
  id: bigint
  user_id: bigint | null
  status: 'Open' | 'Closed'
  /** The address for replies while they are offline: a trader's own, or the one a visitor left. */
  email: string | null
  /** Whether the desk has ever answered. */
  answered: boolean
  mailed_to: bigint
}

/** Maximum number of messages in a history, and of characters in their texts. */
const HISTORY = 100
const HISTORY_LENGTH = 65_536

export async function findChat(
  db: Db | Tx,
  by: { userId: bigint } | { token: string } | { id: bigint },
): Promise<ChatRow | undefined> {
  const which =
    'userId' in by
      ? sql`c.user_id = ${by.userId}`
      : 'token' in by
        ? sql`c.token_hash = ${hashOf(by.token)}`
        : sql`c.id = ${by.id}`
  const { rows } = await sql<ChatRow>`
    select c.id, c.user_id, c.status, c.email, c.mailed_to,
      exists (select from chat_messages m where m.chat_id = c.id and m.operator_id is not null) as answered
    from chats c where ${which}`.execute(db)
  const [chat] = rows
  if (!chat || chat.user_id === null) return chat
  const trader = await findAnyUser(db, chat.user_id)
  return { ...chat, email: trader?.email ?? null }
}

/** Begins a conversation. Concurrent first messages of one trader get the same conversation. */
export async function beginChat(tx: Tx, of: { userId: bigint } | { tokenHash: Buffer }): Promise<bigint> {
  const { rows } = await sql<{ id: bigint }>`
    insert into chats (user_id, token_hash) values (${'userId' in of ? of.userId : null}, ${'tokenHash' in of ? of.tokenHash : null})
    on conflict (user_id) do update set status = chats.status returning id`.execute(tx)
  return first(rows).id
}

/** Adds a message, which reopens the conversation, and returns it. */
export async function addMessage(
  tx: Tx,
  chatId: bigint,
  words: { text: string; operatorId: bigint | null },
): Promise<ChatMessage> {
  await sql`
    update chats set status = 'Open', closed_at = null,
      waits_since = ${words.operatorId === null ? sql`coalesce(waits_since, clock_timestamp())` : null}
    where id = ${chatId}`.execute(tx)
  const row = await tx
    .insertInto('chat_messages')
    .values({
      chat_id: chatId,
      operator_id: words.operatorId,
      text: words.text.toWellFormed().replaceAll('\0', '\uFFFD'),
    })
    .returning(['id', 'operator_id', 'text', 'at'])
    .executeTakeFirstOrThrow()
  return toMessage(row)
}

/** Returns the newest messages of a conversation, oldest first: up to 100, and up to 65,536 characters in all. */
export async function history(db: Db | Tx, chatId: bigint): Promise<ChatMessage[]> {
  const rows = await db
    .selectFrom('chat_messages')
    .select(['id', 'operator_id', 'text', 'at'])
    .where('chat_id', '=', chatId)
    .orderBy('id', 'desc')
    .limit(HISTORY)
    .execute()
  let length = 0
  const newest = rows.filter(({ text }) => {
    length += text.length
    return length <= HISTORY_LENGTH
  })
  return newest.reverse().map(toMessage)
}

/** Selects the messages that were not e-mailed to support yet. */
export const unmailed = (tx: Tx, chat: Pick<ChatRow, 'id' | 'mailed_to'>) =>
  tx
    .selectFrom('chat_messages')
    .select(['id', 'text'])
    .where('chat_id', '=', chat.id)
    .where('id', '>', chat.mailed_to)
    .where('operator_id', 'is', null)
    .orderBy('id')
    .limit(HISTORY)
    .execute()

export const setMailed = (tx: Tx, chatId: bigint, to: bigint) =>
  tx.updateTable('chats').set({ mailed_to: to }).where('id', '=', chatId).execute()

export const setEmail = (tx: Tx, chatId: bigint, email: string) =>
  tx.updateTable('chats').set({ email }).where('id', '=', chatId).where('user_id', 'is', null).execute()

/** Closes a conversation. Returns false when it is already closed. */
export async function close(tx: Tx, chatId: bigint): Promise<boolean> {
  const row = await tx
    .updateTable('chats')
    .set({ status: 'Closed', closed_at: sql<Date>`clock_timestamp()`, waits_since: null })
    .where('id', '=', chatId)
    .where('status', '=', 'Open')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

const toMessage = (row: { id: bigint; operator_id: bigint | null; text: string; at: Date }): ChatMessage => ({
  id: String(row.id),
  from: row.operator_id === null ? 'you' : 'desk',
  text: row.text,
  at: row.at.toISOString(),
})
