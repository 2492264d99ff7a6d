import { CLAIM_MINUTES, type Queue } from '#contract/desk.ts'
import { Problem } from '#contract/problem.ts'
import { sql, type Tx } from '../platform/db.ts'
import type { WhoOperates } from '../platform/http/index.ts'

/** A claim lives while its operator acts, and for 30 minutes after; then the item is anybody's. */
export const LIVING_CLAIM = sql`acted_at > clock_timestamp() - make_interval(mins => ${CLAIM_MINUTES})`

/** Takes the item that the CTE `item` of a statement found, or keeps it his. The CTE `taken` has no row where somebody else has it. */
export const takeClaim = (queue: Queue, itemId: bigint, who: WhoOperates) => sql`
  taken as (
    insert into claims as c (queue, item_id, operator_id)
    select ${queue}, ${itemId}::bigint, ${who.operatorId}::bigint from item where lower(item.email) <> lower(${who.email})
    on conflict (queue, item_id) do update set operator_id = excluded.operator_id, acted_at = excluded.acted_at,
      since = case when c.operator_id = excluded.operator_id then c.since else excluded.since end
    where c.operator_id = excluded.operator_id or not (c.${LIVING_CLAIM})
    returning c.item_id
  )`

/** The same for a step that ends the item: it is nobody's afterwards, so his claim, or one that ran out, goes at once. */
export const endClaim = (queue: Queue, itemId: bigint, who: WhoOperates) => sql`
  ended as (
    delete from claims c using item
    where c.queue = ${queue} and c.item_id = ${itemId} and lower(item.email) <> lower(${who.email})
      and (c.operator_id = ${who.operatorId} or not (c.${LIVING_CLAIM}))
  ), taken as (
    select from (select) one where not exists (
      select from claims c
      where c.queue = ${queue} and c.item_id = ${itemId} and c.operator_id <> ${who.operatorId} and c.${LIVING_CLAIM}
    )
  )`

/** Gives an item back. One that nobody has is no error; somebody else's is. */
export async function giveBack(tx: Tx, queue: Queue, itemId: bigint, who: WhoOperates): Promise<void> {
  await sql`delete from claims where queue = ${queue} and item_id = ${itemId} and (operator_id = ${who.operatorId} or not (${LIVING_CLAIM}))`.execute(
    tx,
  )
  const still = await tx
    .selectFrom('claims')
    .select('item_id')
    .where('queue', '=', queue)
    .where('item_id', '=', itemId)
    .executeTakeFirst()
  if (still) throw await claimed(tx, queue, itemId)
}

export const endClaimsOf = (tx: Tx, operatorId: bigint) =>
  tx.deleteFrom('claims').where('operator_id', '=', operatorId).execute()

/** The refusal that names who has it. */
export async function claimed(tx: Tx, queue: Queue, itemId: bigint): Promise<Problem> {
  const holder = await tx
    .selectFrom('claims')
    .innerJoin('operators', 'operators.id', 'claims.operator_id')
    .select('operators.email')
    .where('queue', '=', queue)
    .where('item_id', '=', itemId)
    .executeTakeFirst()
  return new Problem('claimed', `${holder?.email ?? 'Another operator'} is working on this.`)
}
