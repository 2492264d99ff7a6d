import { type chatQueueCalls, DeskChat, type DeskConversation } from '#contract/desk/people/chats.ts'
import { Problem } from '#contract/problem.ts'
import { assert } from '#kernel/assert.ts'
import { must } from '#kernel/must.ts'
import { sql } from '../../../platform/database/db.ts'
import type { WhoOperates } from '../../../platform/http/index.ts'
import { type ClaimColumns, claimJoin, findItem, itemFields, notFound, refuseOwn } from '../../actions/items.ts'
import type { DeskDeps } from '../../deps.ts'
import { filtered, inOrder, isoOf, type List, type Page, type QueueFilter } from '../../lists/read.ts'
import { type Claimed, oneOf } from '../queue.ts'

type Deps = Pick<DeskDeps, 'db' | 'chat'>

interface ChatRow extends ClaimColumns {
  id: string
  user_id: string | null
  email: string
  name: string
  created_at: string
  status: DeskChat['status']
  waits_since: string | null
  last_text: string | null
  last_operator: string | null
  last_at: string | null
}

/** Selects live chats, newest first. A visitor is shown by number, and has an e-mail address only if they left one. */
const chatRows = (filter: QueueFilter, page: Page): List<ChatRow> => sql`
  select h.id::text, u.id::text as user_id, coalesce(u.email, h.email, '') as email,
    coalesce(u.firstname || ' ' || u.lastname, 'Visitor ' || h.id) as name, h.created_at, h.status, h.waits_since,
    last.text as last_text, last.operator_id::text as last_operator, last.at as last_at, claim.*
  from chats h left join users u on u.id = h.user_id
    left join lateral (
      select m.text, m.operator_id, m.at from chat_messages m where m.chat_id = h.id order by m.id desc limit 1
    ) last on true
    ${claimJoin('chats', 'h.id')}
  where ${filtered('h', filter, page)}
  ${inOrder('h.id', page)}`

/** Live chats. The operator who replies keeps the conversation until they release or close it. */
export const chats: Claimed<'chats', keyof typeof chatQueueCalls, ChatRow> = {
  name: 'chats',
  schema: DeskChat,
  find: (id) => sql`
    select u.id as "userId", coalesce(u.email, c.email, '') as email, c.status = 'Open' as open
    from chats c left join users u on u.id = c.user_id where c.id = ${id}`,
  pending: sql`select id, waits_since, 0, user_id, false, case when user_id is null then coalesce(email, 'a visitor') end from chats where waits_since is not null`,
  rows: chatRows,
  view: (row, who) => ({
    ...itemFields(who, row, row.id),
    flags: [],
    status: row.status,
    last:
      row.last_text === null
        ? null
        : { from: saidBy(row.last_operator), text: row.last_text, at: isoOf(must(row.last_at)) },
    waits_since: row.waits_since === null ? null : isoOf(row.waits_since),
    here: false,
  }),
  async complete(items, { chat }) {
    const here = await chat.whoIsHere(
      items.map(({ id, user_id }) => ({ id: BigInt(id), userId: user_id === null ? null : BigInt(user_id) })),
    )
    return items.map((item) => ({ ...item, here: here.has(BigInt(item.id)) }))
  },
  actions: {
    reply: {
      keeps: true,
      async step(tx, item, { deps, who, body: { text } }) {
        const { mailed } = await deps.chat.answer(tx, who, item.id, text)
        return { after: { text, ...(mailed ? { mailed_to: item.email } : {}) } }
      },
      answer: conversation,
    },
    close: {
      async step(tx, item, { deps }) {
        await deps.chat.close(tx, item.id)
        return { before: { status: 'Open' }, after: { status: 'Closed' } }
      },
      answer: conversation,
    },
  },
}

/** Returns a live chat with its newest messages. Throws `not_found`. */
export async function conversation(deps: Deps, who: WhoOperates, id: bigint): Promise<DeskConversation> {
  const found = await oneOf(deps, chats, who, id)
  if (!found) throw notFound()
  const { rows } = await sql<{
    id: bigint
    operator_id: bigint | null
    operator: string | null
    text: string
    at: Date
  }>`
    select * from (
      select m.id, m.operator_id, o.email as operator, m.text, m.at
      from chat_messages m left join operators o on o.id = m.operator_id
      where m.chat_id = ${id} order by m.id desc limit 100
    ) newest order by id`.execute(deps.db)
  return {
    ...found,
    messages: rows.map((row) => ({
      id: String(row.id),
      from: saidBy(row.operator_id),
      operator: row.operator,
      text: row.text,
      at: row.at.toISOString(),
    })),
    typing: deps.chat.isTyping(id),
  }
}

/**
 * Shows the trader that an answer is being typed. It changes nothing, so it isn't audited, but another operator's claim
 * still blocks it.
 */
export async function typeInChat(deps: Deps, who: WhoOperates, id: bigint): Promise<void> {
  const item = await findItem(deps.db, chats, id)
  refuseOwn(who, item.email)
  const found = await oneOf(deps, chats, who, item.id)
  assert(found, 'what was found is there')
  if (found.status === 'Closed') throw new Problem('wrong_state', 'This conversation is closed.')
  if (found.claimed_by && !found.claimed_by.mine)
    throw new Problem('claimed', `${found.claimed_by.email} is working on this.`)
  await deps.chat.operatorTypes(item.id)
}

const saidBy = (operatorId: bigint | string | null) => (operatorId === null ? 'visitor' : 'desk')
