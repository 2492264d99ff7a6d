import { DeskMessage, type messageCalls } from '#contract/desk/people/messages.ts'
import { Problem } from '#contract/problem.ts'
import { sql } from '../../../platform/database/db.ts'
import { closeContact, replyToContact } from '../../../support/index.ts'
import { type ClaimColumns, claimJoin, itemFields } from '../../actions/items.ts'
import { filtered, inOrder, isoOf, type List, type Page, type QueueFilter } from '../../lists/read.ts'
import type { Claimed } from '../queue.ts'

interface MessageRow extends ClaimColumns {
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
const messageRows = (filter: QueueFilter, page: Page): List<MessageRow> => sql`
  select m.id::text, u.id::text as user_id, m.email, m.name, m.created_at, m.message, m.status,
    coalesce((
      select json_agg(json_build_object('operator_id', r.operator_id::text, 'email', o.email, 'text', r.text, 'at', r.at) order by r.id)
      from contact_replies r join operators o on o.id = r.operator_id where r.message_id = m.id
    ), '[]') as replies, claim.*
  from contact_messages m left join users u on lower(u.email) = lower(m.email) and u.ended_at is null
    ${claimJoin('messages', 'm.id')}
  where ${filtered('m', filter, page)}
  ${inOrder('m.id', page)}`

/** Messages from the contact form: answered by e-mail, closed when done. */
export const messages: Claimed<'messages', keyof typeof messageCalls, MessageRow> = {
  name: 'messages',
  schema: DeskMessage,
  find: (id) => sql`
    select u.id as "userId", m.email, m.status = 'Open' as open
    from contact_messages m left join users u on lower(u.email) = lower(m.email) and u.ended_at is null where m.id = ${id}`,
  pending: sql`select id, created_at, 0, null, false, email || ': ' || left(message, 80) from contact_messages where status = 'Open'`,
  rows: messageRows,
  view: (row, who) => ({
    ...itemFields(who, row, row.id),
    // The contact form accepts any address without proof of ownership.
    flags: ["Unverified address: don't disclose anything about an account"],
    message: row.message,
    status: row.status,
    replies: row.replies.map((reply) => ({ ...reply, at: isoOf(reply.at) })),
  }),
  actions: {
    reply: {
      // The message stays open.
      async step(tx, { id, email, open }, { deps, who, body: { text } }) {
        if (!open) throw closed()
        await replyToContact(deps, tx, { messageId: id, operatorId: who.operatorId, to: email, text })
        return { after: { text } }
      },
    },
    close: {
      async step(tx, { id }) {
        if (!(await closeContact(tx, id))) throw closed()
        return { before: { status: 'Open' }, after: { status: 'Closed' } }
      },
    },
  },
}

const closed = () => new Problem('wrong_state', 'This message is closed.')
