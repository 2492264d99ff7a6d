import type { DeskMessage } from '#contract/desk/messages.ts'
import { Problem } from '#contract/problem.ts'
import { type Db, sql, type Tx } from '../../platform/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { closeContact, replyToContact } from '../../support/index.ts'
import type { Step } from '../actions/act.ts'
import { type ClaimColumns, claimJoin, type Item, itemFields, type QueueFilter } from '../actions/items.ts'
import type { DeskDeps } from '../deps.ts'
import { inOrder, isAfter, isoOf, type List, type Page, readList, where } from '../lists/read.ts'

interface Row extends ClaimColumns {
  id: string
  user_id: string | null
  email: string
  name: string
  created_at: string
  message: string
  status: DeskMessage['status']
  replies: { operator_id: string; email: string; text: string; at: string }[]
}

/** Selects messages from the contact form with their replies, newest first. */
const messageRows = (filter: QueueFilter, page: Page): List<Row> => sql`
  select m.id::text, u.id::text as user_id, m.email, m.name, m.created_at, m.message, m.status,
    coalesce((
      select json_agg(json_build_object('operator_id', r.operator_id::text, 'email', o.email, 'text', r.text, 'at', r.at) order by r.id)
      from contact_replies r join operators o on o.id = r.operator_id where r.message_id = m.id
    ), '[]') as replies, claim.*
  from contact_messages m left join users u on lower(u.email) = lower(m.email) and u.ended_at is null
    ${claimJoin('messages', 'm.id')}
  where ${where(
    filter.status !== undefined && sql`m.status = ${sql.lit(filter.status)}`,
    filter.id !== undefined && sql`m.id = ${filter.id}`,
    isAfter('m.id', page),
  )}
  ${inOrder('m.id', page)}`

/** Lists messages from the contact form, newest first. */
export async function messages(db: Db, who: WhoOperates, filter: QueueFilter, page: Page): Promise<DeskMessage[]> {
  const rows = await readList(db, messageRows(filter, page))
  return rows.map((row) => ({
    ...itemFields(who, row, row.id),
    // The contact form accepts any address without proof of ownership.
    flags: ['The address is not proven: do not disclose anything about an account'],
    message: row.message,
    status: row.status,
    replies: row.replies.map((reply) => ({ ...reply, at: isoOf(reply.at) })),
  }))
}

/** Replies to a message by e-mail; the message stays open. Throws `wrong_state` once it is closed. */
export async function replyToMessage(
  deps: Pick<DeskDeps, 'brand' | 'mail'>,
  tx: Tx,
  who: WhoOperates,
  item: Item,
  text: string,
): Promise<Step> {
  if (!item.open) throw closed()
  await replyToContact(deps, tx, { messageId: item.id, operatorId: who.operatorId, to: item.email, text })
  return { after: { text } }
}

/** Closes a message. Throws `wrong_state` when it is already closed. */
export async function closeMessage(tx: Tx, item: Item): Promise<Step> {
  if (!(await closeContact(tx, item.id))) throw closed()
  return { before: { status: 'Open' }, after: { status: 'Closed' } }
}

const closed = () => new Problem('wrong_state', 'This message is closed.')
