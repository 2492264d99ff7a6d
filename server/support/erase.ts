import { type Db, sql } from '../platform/database/db.ts'

const BATCH = 100

/** Deletes the chats and contact messages whose last word is older than this, in batches. */
export async function eraseOldConversations(db: Db, days: number): Promise<void> {
  await untilFew(() => eraseChats(db, days))
  await untilFew(() => eraseContacts(db, days))
}

async function untilFew(work: () => Promise<number>): Promise<void> {
  while ((await work()) >= BATCH);
}

/** The messages are deleted first: the statements see the same rows. */
async function eraseChats(db: Db, days: number): Promise<number> {
  const over = sql`
    select c.id from chats c
    where c.created_at < (select clock_timestamp()) - make_interval(days => ${days}) and not exists (
      select from chat_messages m where m.chat_id = c.id and m.at >= (select clock_timestamp()) - make_interval(days => ${days})
    ) order by c.created_at limit ${BATCH}`
  const { rows: found } = await sql<{ id: bigint }>`${over}`.execute(db)
  const ids = found.map(({ id }) => id)
  await sql`delete from chat_messages where chat_id = any(${ids}::bigint[])`.execute(db)
  await sql`
    delete from chats c where c.id = any(${ids}::bigint[]) and not exists (select from chat_messages m where m.chat_id = c.id)`.execute(
    db,
  )
  return ids.length
}

async function eraseContacts(db: Db, days: number): Promise<number> {
  const { rows } = await sql<{ id: bigint }>`
    select c.id from contact_messages c
    where c.created_at < (select clock_timestamp()) - make_interval(days => ${days}) and not exists (
      select from contact_replies r where r.message_id = c.id and r.at >= (select clock_timestamp()) - make_interval(days => ${days})
    ) order by c.created_at limit ${BATCH}`.execute(db)
  const ids = rows.map(({ id }) => id)
  await sql`delete from contact_replies where message_id = any(${ids}::bigint[])`.execute(db)
  await sql`
    delete from contact_messages c where c.id = any(${ids}::bigint[])
      and not exists (select from contact_replies r where r.message_id = c.id)`.execute(db)
  return ids.length
}
