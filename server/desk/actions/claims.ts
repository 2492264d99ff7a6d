import { CLAIM_MINUTES, type ClaimedQueue } from '#contract/desk/terms.ts'
import { Problem } from '#contract/problem.ts'
import { sql, type Tx } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'

/** A claim expires 30 minutes after its operator's last action; then anyone can claim the item. */
export const ACTIVE_CLAIM = sql`acted_at > clock_timestamp() - make_interval(mins => ${CLAIM_MINUTES})`

/**
 * Claims the item found by the CTE `item`, or renews the operator's claim. The CTE `taken` is empty when another
 * operator has the item.
 */
export const takeClaim = (queue: ClaimedQueue, itemId: bigint, who: WhoOperates) => sql`
  taken as (
    insert into claims as c (queue, item_id, operator_id)
    select ${queue}, ${itemId}::bigint, ${who.operatorId}::bigint from item where email_key_of(item.email) <> email_key_of(${who.email})
    on conflict (queue, item_id) do update set operator_id = excluded.operator_id, acted_at = excluded.acted_at,
      since = case when c.operator_id = excluded.operator_id then c.since else excluded.since end
    where c.operator_id = excluded.operator_id or not (c.${ACTIVE_CLAIM})
    returning c.item_id
  )`

/**
 * Claims an item for its final step: deletes the operator's claim, or an expired one, at once because no work is left.
 */
export const endClaim = (queue: ClaimedQueue, itemId: bigint, who: WhoOperates) => sql`
  ended as (
    delete from claims c using item
    where c.queue = ${queue} and c.item_id = ${itemId} and email_key_of(item.email) <> email_key_of(${who.email})
      and (c.operator_id = ${who.operatorId} or not (c.${ACTIVE_CLAIM}))
  ), taken as (
    select from (select) one where not exists (
      select from claims c
      where c.queue = ${queue} and c.item_id = ${itemId} and c.operator_id <> ${who.operatorId} and c.${ACTIVE_CLAIM}
    )
  )`

/** Releases an item. An unclaimed item is no error; another operator's claim is. */
export async function releaseClaim(tx: Tx, queue: ClaimedQueue, itemId: bigint, who: WhoOperates): Promise<void> {
  await sql`delete from claims where queue = ${queue} and item_id = ${itemId} and (operator_id = ${who.operatorId} or not (${ACTIVE_CLAIM}))`.execute(
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

/** Returns the error that names the operator with the claim. */
export async function claimed(tx: Tx, queue: ClaimedQueue, itemId: bigint): Promise<Problem> {
  const holder = await tx
    .selectFrom('claims')
    .innerJoin('operators', 'operators.id', 'claims.operator_id')
    .select('operators.email')
    .where('queue', '=', queue)
    .where('item_id', '=', itemId)
    .executeTakeFirst()
  return new Problem('claimed', `${holder?.email ?? 'Another operator'} is working on this.`)
}
