import type { Parsed } from '#contract/api.ts'
import { type DeskInboxItem, INBOX_MAX } from '#contract/desk/inbox.ts'
import { type ClaimedQueue, PAGES, QUEUES, type Queue, type QueueTerms } from '#contract/desk/terms.ts'
import { DEPOSIT_BUSINESS_DAYS, type OperatorRole, WITHDRAWAL_BUSINESS_DAYS } from '#contract/terms.ts'
import { publicId } from '#kernel/id.ts'
import { DAY_MS, HOUR_MS, type Ms, toIso } from '#kernel/time.ts'
import { afterBusinessDays } from '../../cashier/index.ts'
import { sql } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { ACTIVE_CLAIM } from '../actions/claims.ts'
import type { DeskDeps } from '../deps.ts'
import { dollars, isoOf, readList, where } from '../lists/read.ts'
import { ITEM, ITEM_COLUMNS, PENDING } from './overview.ts'

/** When an item is due: what traders are promised, and for the rest what operators aim at. */
const DUE: Record<ClaimedQueue, (at: Ms) => Ms> = {
  withdrawals: (at) => afterBusinessDays(at, WITHDRAWAL_BUSINESS_DAYS),
  deposits: (at) => afterBusinessDays(at, DEPOSIT_BUSINESS_DAYS),
  'unknown-deposits': (at) => afterBusinessDays(at, DEPOSIT_BUSINESS_DAYS),
  complaints: (at) => at + 7 * DAY_MS,
  chats: (at) => at + HOUR_MS,
  'identity-checks': (at) => at + DAY_MS,
  'plan-requests': (at) => at + DAY_MS,
  'exclusion-matches': (at) => at + DAY_MS,
  messages: (at) => at + DAY_MS,
}
const dueOf = (queue: string, at: Ms) => (DUE[queue as ClaimedQueue] ?? ((from: Ms) => from + DAY_MS))(at)

const termsOf = (queue: string): QueueTerms | undefined => QUEUES[queue as Queue]
/** What isn't a queue is decided on a page. */
const ON_PAGES: Record<string, readonly OperatorRole[]> = {
  voids: PAGES.trades.sees,
  settings: PAGES.settings.sees,
  'operator-changes': PAGES.operators.sees,
}
const seesOf = (queue: string): readonly OperatorRole[] => termsOf(queue)?.sees ?? ON_PAGES[queue] ?? []

interface Row {
  queue: string
  id: string
  at: string
  amount: number
  user_id: string | null
  second: boolean
  what: string | null
  email: string | null
  operator: string | null
  operator_email: string | null
}

/**
 * Returns the pending work of the queues that the operator sees, by due time: of each queue its oldest items, and
 * `INBOX_MAX` of them together.
 */
export async function inbox(
  { db }: Pick<DeskDeps, 'db'>,
  who: WhoOperates,
  { queue: wanted, only }: Pick<Parsed<'GET /desk/inbox', 'query'>, 'queue' | 'only'>,
  now: Ms,
): Promise<DeskInboxItem[]> {
  const seen = PENDING.filter(
    ({ name }) => (wanted ?? name) === name && seesOf(name).some((role) => who.roles.includes(role)),
  )
  if (seen.length === 0) return []
  const lists = seen.map(
    ({ name, pending }) => sql`(
      select ${sql.lit(name)} as queue, ${ITEM}, item.what::text from (${pending}) ${ITEM_COLUMNS}
      where ${where(only === 'second' && sql`item.second`, only === 'mine' && mineIn(who, name))}
      order by item.at limit ${sql.lit(INBOX_MAX)}
    )`,
  )
  const rows = await readList<Row>(
    db,
    sql`
      select w.queue, w.id::text, w.at, w.amount, w.user_id::text, w.second, w.what, u.email,
        o.id::text as operator, o.email as operator_email
      from (${sql.join(lists, sql` union all `)}) w left join users u on u.id = w.user_id
      left join (select queue, item_id, operator_id from claims where ${ACTIVE_CLAIM}) h
        on h.queue = w.queue and h.item_id = w.id
      left join operators o on o.id = h.operator_id`,
  )
  return rows
    .map((row) => toItem(row, who, now))
    .filter((item) => only !== 'overdue' || item.overdue)
    .sort((a, b) => (a.due_at < b.due_at ? -1 : a.due_at > b.due_at ? 1 : 0))
    .slice(0, INBOX_MAX)
}

const mineIn = (who: WhoOperates, queue: string) => sql`
  item.id in (select item_id from claims where queue = ${sql.lit(queue)} and operator_id = ${who.operatorId} and ${ACTIVE_CLAIM})`

function toItem(row: Row, who: WhoOperates, now: Ms): DeskInboxItem {
  const due = dueOf(row.queue, Date.parse(row.at))
  return {
    queue: row.queue,
    id: termsOf(row.queue)?.publicIds || row.queue === 'voids' ? publicId(BigInt(row.id)) : row.id,
    due_at: toIso(due),
    overdue: due < now,
    since: isoOf(row.at),
    what: row.what ?? '',
    amount: dollars(row.amount),
    user_id: row.user_id,
    email: row.email,
    second: row.second,
    claimed_by:
      row.operator === null || row.operator_email === null
        ? null
        : {
            operator_id: row.operator,
            email: row.operator_email,
            mine: row.operator === String(who.operatorId),
          },
  }
}
