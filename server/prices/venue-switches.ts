import { Problem } from '#contract/problem.ts'
import { type Db, sql, type Tx } from '../platform/db.ts'

/** An operator's proposal to take a venue out of all prices, which a second operator has yet to decide. */
export interface PendingSwitch {
  id: bigint
  venue: string
  reason: string
  proposedBy: bigint
}

/** Returns the venues that are out of all prices. */
export async function readVenuesOut(db: Db | Tx): Promise<string[]> {
  const { rows } = await sql<{ venue: string }>`
    select venue from (
      select distinct on (venue) venue, is_out from venue_switches
      where status in ('Done', 'Approved') order by venue, id desc
    ) newest where is_out`.execute(db)
  return rows.map(({ venue }) => venue)
}

/** Returns the proposals that a second operator has yet to decide: at most one for each venue. */
export async function readPendingSwitches(db: Db | Tx): Promise<PendingSwitch[]> {
  const rows = await db
    .selectFrom('venue_switches')
    .select(['id', 'venue', 'reason', 'proposed_by'])
    .where('status', '=', 'Pending')
    .execute()
  return rows.map(({ proposed_by, ...row }) => ({ ...row, proposedBy: proposed_by }))
}

/** Serializes switches of venues: each of several simultaneous ones counts the venues that were taken out before it. */
export async function lockVenueSwitches(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('venue_switches'))`.execute(tx)
}

/** The result of a request to switch a venue. */
export type Switched = { is: 'done' } | { is: 'proposed'; id: bigint; lost: number } | { is: 'withdrawn'; id: bigint }

/**
 * Takes a venue out of all prices, or puts it back. If symbols would lose their price, it is only proposed; putting back
 * what isn't out yet withdraws the operator's own proposal. `lostWithout`: how many symbols these venues together would
 * cost.
 */
export async function switchVenue(
  tx: Tx,
  wish: { venue: string; isOut: boolean; reason: string; operatorId: bigint },
  lostWithout: (venues: readonly string[]) => Promise<number>,
): Promise<Switched> {
  const { venue, isOut, reason, operatorId } = wish
  await lockVenueSwitches(tx)
  const pending = (await readPendingSwitches(tx)).find((one) => one.venue === venue)
  if (pending) {
    if (isOut || pending.proposedBy !== operatorId)
      throw new Problem(
        'wrong_state',
        'Taking this exchange out has already been proposed. Decide it in Exchange switches.',
      )
    await tx.updateTable('venue_switches').set({ status: 'Withdrawn' }).where('id', '=', pending.id).execute()
    return { is: 'withdrawn', id: pending.id }
  }
  const outNow = await readVenuesOut(tx)
  if (isOut === outNow.includes(venue))
    throw new Problem('wrong_state', isOut ? 'This exchange is out already.' : 'This exchange is in use already.')
  const lost = isOut ? await lostWithout([...outNow, venue]) : 0
  const { id } = await tx
    .insertInto('venue_switches')
    .values({
      venue,
      is_out: isOut,
      reason: reason.toWellFormed(),
      status: lost > 0 ? 'Pending' : 'Done',
      symbols_lost: lost > 0 ? lost : null,
      proposed_by: operatorId,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return lost > 0 ? { is: 'proposed', id, lost } : { is: 'done' }
}

/** Locks a switch and returns it; undefined if there is none. */
export const findSwitch = (tx: Tx, id: bigint) =>
  tx
    .selectFrom('venue_switches')
    .select(['id', 'venue', 'status', 'reason', 'symbols_lost', 'proposed_by'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

/** Stores the decision about a proposal. */
export async function decideSwitch(
  tx: Tx,
  id: bigint,
  decision: { status: 'Approved' } | { status: 'Rejected'; reason: string },
  operatorId: bigint,
): Promise<void> {
  await tx
    .updateTable('venue_switches')
    .set({
      status: decision.status,
      decided_by: operatorId,
      decided_at: sql<Date>`clock_timestamp()`,
      decision_reason: decision.status === 'Rejected' ? decision.reason.toWellFormed() : null,
    })
    .where('id', '=', id)
    .execute()
}
