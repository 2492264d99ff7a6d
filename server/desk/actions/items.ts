import type { RawBuilder } from 'kysely'
import { type ClaimedQueue, QUEUES, type Queue, type QueueTerms } from '#contract/desk/terms.ts'
import { Problem } from '#contract/problem.ts'
import { isSamePerson } from '#kernel/email-key.ts'
import { parsePublicId, parseRowId, publicId } from '#kernel/id.ts'
import { must } from '#kernel/must.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { type PersonColumns, personColumns } from '../lists/flags.ts'
import { isoOf, type List, type Page } from '../lists/read.ts'
import { ACTIVE_CLAIM, claimed, endClaim, takeClaim } from './claims.ts'

/** The parts of a queue item that claims and actions need. */
export interface Item {
  id: bigint
  userId: bigint | null
  email: string
  /** Whether the item still needs work. */
  open: boolean
}

/** How claims and actions find the items of a queue. */
export interface ItemSource {
  name: ClaimedQueue
  find(id: bigint): RawBuilder<Omit<Item, 'id'>>
}

const hasPublicIds = (queue: Queue): boolean => (QUEUES[queue] as QueueTerms).publicIds === true

/** Parses an item's id as the queue's lists and paths have it. */
export const parseItemId = (queue: Queue, unchecked: string): bigint | undefined =>
  hasPublicIds(queue) ? parsePublicId(unchecked) : parseRowId(unchecked)

/** Names an item in the audit log, by the id that its queue shows. */
export const auditedItem = (queue: Queue, id: bigint) => ({
  kind: queue,
  id: hasPublicIds(queue) ? publicId(id) : String(id),
})

/** Returns an item. Throws `not_found`. */
export async function findItem(db: Db | Tx, queue: ItemSource, id: bigint): Promise<Item> {
  const { rows } = await queue.find(id).execute(db)
  const [row] = rows
  if (!row) throw notFound()
  return { id, ...row }
}

/**
 * Finds an item that an operator is about to act on, and claims it for them. `ends` releases the claim because no work
 * is left. Throws `not_found`, `own_item`, `claimed`.
 */
export async function takeItem(
  tx: Tx,
  queue: ItemSource,
  id: bigint,
  who: WhoOperates,
  { ends }: { ends: boolean },
): Promise<Item> {
  const { rows } = await sql<Omit<Item, 'id'> & { taken: boolean }>`
    with item as (${queue.find(id)}), ${ends ? endClaim(queue.name, id, who) : takeClaim(queue.name, id, who)}
    select item.*, exists (select from taken) as taken from item`.execute(tx)
  const [row] = rows
  if (!row) throw notFound()
  refuseOwn(who, row.email)
  if (!row.taken) throw await claimed(tx, queue.name, id)
  return { id, userId: row.userId, email: row.email, open: row.open }
}

export const notFound = () => new Problem('not_found', 'Item not found.')

/** Whether the item is the operator's own, under any of their addresses. */
export const isOwn = (who: WhoOperates, email: string): boolean => isSamePerson(who.email, email)

/** Rejects an operator's action on their own item. Throws `own_item`. */
export function refuseOwn(who: WhoOperates, email: string): void {
  if (isOwn(who, email)) throw new Problem('own_item', "You can't act on your own item. Ask another operator.")
}

/** Joins the claim of the item `id` of a queue, as columns `claim_*`. */
export const claimJoin = (queue: ClaimedQueue, id: string) => sql`
  left join lateral (
    select c.operator_id::text as claim_operator, o.email as claim_email, c.since as claim_since
    from claims c join operators o on o.id = c.operator_id
    where c.queue = ${queue} and c.item_id = ${sql.ref(id)} and c.${ACTIVE_CLAIM}
  ) claim on true`

export interface ClaimColumns {
  claim_operator: string | null
  claim_email: string | null
  claim_since: string | null
}

/** The owner of an item, and accounts that seem to belong to the same person. */
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
            email: must(row.claim_email),
            since: isoOf(must(row.claim_since)),
            mine: row.claim_operator === String(who.operatorId),
          },
    own: isOwn(who, row.email),
  }
}
