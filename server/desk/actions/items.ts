import type { ClaimedQueue } from '#contract/desk/terms.ts'
import { Problem } from '#contract/problem.ts'
import { parsePublicId, publicId } from '#kernel/id.ts'
import { type Db, sql, type Tx } from '../../platform/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { type PersonColumns, personColumns } from '../lists/flags.ts'
import { isoOf, type List, type Page } from '../lists/read.ts'
import { claimed, endClaim, LIVING_CLAIM, takeClaim } from './claims.ts'

/** The parts of a queue item that claims and actions need. */
export interface Item {
  id: bigint
  userId: bigint | null
  email: string
  /** Whether the item still needs work. */
  open: boolean
}

const FIND: Record<ClaimedQueue, (id: bigint) => ReturnType<typeof sql<Omit<Item, 'id'>>>> = {
  'identity-checks': (id) => sql`
    select u.id as "userId", u.email, i.status = 'Pending' and i.superseded_at is null and u.ended_at is null as open
    from identity_checks i join users u on u.id = i.user_id where i.id = ${id}`,
  deposits: (id) => sql`
    select u.id as "userId", u.email, d.status = 'Pending' as open
    from deposits d join users u on u.id = d.user_id where d.id = ${id}`,
  withdrawals: (id) => sql`
    select u.id as "userId", u.email, w.status in ('Pending', 'Processing') as open
    from withdrawals w join users u on u.id = w.user_id where w.id = ${id}`,
  'plan-requests': (id) => sql`
    select u.id as "userId", u.email, r.status = 'Pending' as open
    from plan_requests r join users u on u.id = r.user_id where r.id = ${id}`,
  messages: (id) => sql`
    select u.id as "userId", m.email, m.status = 'Open' as open
    from contact_messages m left join users u on lower(u.email) = lower(m.email) and u.ended_at is null where m.id = ${id}`,
  chats: (id) => sql`
    select u.id as "userId", coalesce(u.email, c.email, '') as email, c.status = 'Open' as open
    from chats c left join users u on u.id = c.user_id where c.id = ${id}`,
}

/** Whether the queue uses public ids: deposits and withdrawals have the ids that their owners see. */
const isPublic = (queue: ClaimedQueue) => queue === 'deposits' || queue === 'withdrawals'

export const itemName = (queue: ClaimedQueue, id: bigint): string => (isPublic(queue) ? publicId(id) : String(id))

const numberIn = (queue: ClaimedQueue, unchecked: string) =>
  isPublic(queue) ? parsePublicId(unchecked) : parseNumber(unchecked)

/** Returns an item by its unvalidated id. Throws `not_found`. */
export async function findItem(db: Db | Tx, queue: ClaimedQueue, unchecked: string): Promise<Item> {
  const id = numberIn(queue, unchecked)
  const { rows } = id === undefined ? { rows: [] } : await FIND[queue](id).execute(db)
  const [row] = rows
  if (id === undefined || !row) throw notFound()
  return { id, ...row }
}

/** Parses a row's number from a URL. Returns undefined when it is invalid. */
export const parseNumber = (unchecked: string): bigint | undefined =>
  /^[1-9]\d{0,17}$/.test(unchecked) ? BigInt(unchecked) : undefined

/** Parses a row's number from a URL. Throws `not_found` when it is invalid. */
export function numberOf(unchecked: string): bigint {
  const id = parseNumber(unchecked)
  if (id === undefined) throw notFound()
  return id
}

/**
 * Finds an item that an operator is about to act on, and claims it for them. `ends` releases the claim because no work
 * is left. Throws `not_found`, `own_item`, `claimed`.
 */
export async function takeItem(
  tx: Tx,
  queue: ClaimedQueue,
  unchecked: string,
  who: WhoOperates,
  { ends }: { ends: boolean },
): Promise<Item> {
  const id = numberIn(queue, unchecked)
  if (id === undefined) throw notFound()
  const { rows } = await sql<Omit<Item, 'id'> & { taken: boolean }>`
    with item as (${FIND[queue](id)}), ${ends ? endClaim(queue, id, who) : takeClaim(queue, id, who)}
    select item.*, exists (select from taken) as taken from item`.execute(tx)
  const [row] = rows
  if (!row) throw notFound()
  refuseOwn(who, row.email)
  if (!row.taken) throw await claimed(tx, queue, id)
  return { id, userId: row.userId, email: row.email, open: row.open }
}

export const notFound = () => new Problem('not_found', 'There is no such item.')

/** Whether the item is the operator's own: compares e-mail addresses, ignoring case. */
export const isOwn = (who: WhoOperates, email: string): boolean => who.email.toLowerCase() === email.toLowerCase()

/** Rejects an operator's action on their own item. Throws `own_item`. */
export function refuseOwn(who: WhoOperates, email: string): void {
  if (isOwn(who, email)) throw new Problem('own_item', "You can't decide your own item. Ask another operator.")
}

/** Joins the claim of the item `id` of a queue, as columns `claim_*`. */
export const claimJoin = (queue: ClaimedQueue, id: string) => sql`
  left join lateral (
    select c.operator_id::text as claim_operator, o.email as claim_email, c.since as claim_since
    from claims c join operators o on o.id = c.operator_id
    where c.queue = ${queue} and c.item_id = ${sql.ref(id)} and c.${LIVING_CLAIM}
  ) claim on true`

export interface ClaimColumns {
  claim_operator: string | null
  claim_email: string | null
  claim_since: string | null
}

/** Filters of a queue; an omitted one matches everything. */
export interface QueueFilter {
  status?: string | undefined
  user?: string | undefined
  id?: bigint
}

/** The owner of an item, and who looks like the same person. */
export interface Owner extends PersonColumns {
  email: string
  name: string
}

/**
 * Adds the owner to each item of a list and keeps the order. A user's page already knows the owner and skips the
 * lookup.
 */
export const withOwners = <Row extends { id: string; user_id: string }>(
  list: List<Row>,
  { oldestFirst }: Page,
): List<Row & Owner> => sql`
  select item.*, u.email, u.firstname || ' ' || u.lastname as name, ${personColumns}
  from (${list}) item join users u on u.id = item.user_id::bigint order by item.id::bigint ${oldestFirst ? sql`asc` : sql`desc`}`

/** Returns the fields that items of every queue share. */
export function itemFields(
  who: WhoOperates,
  row: ClaimColumns & { user_id: string | null; email: string; name: string; created_at: string },
  id: string,
) {
  return {
    id,
    user_id: row.user_id,
    email: row.email,
    name: row.name,
    created_at: isoOf(row.created_at),
    claimed_by:
      row.claim_operator === null
        ? null
        : {
            operator_id: row.claim_operator,
            email: row.claim_email!,
            since: isoOf(row.claim_since!),
            mine: row.claim_operator === String(who.operatorId),
          },
    own: isOwn(who, row.email),
  }
}
