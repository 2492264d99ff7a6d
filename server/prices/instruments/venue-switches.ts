import { Problem } from '#contract/problem.ts'
import type { Ms } from '#kernel/time.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import { OLDEST_MS } from '../tape/gate.ts'

/** An operator's proposal to take a venue out of all prices, or to put it back, which a second operator has yet to decide. */
export interface PendingSwitch {
  id: bigint
  venue: string
  isOut: boolean
  reason: string
  proposedBy: bigint
}

/** Returns the venues that are out of all prices. `scheduled`: as they will be once every decided switch counts. */
export async function readVenuesOut(db: Db | Tx, { scheduled = false } = {}): Promise<string[]> {
  const { rows } = await sql<{ venue: string }>`
    select venue from (
      select distinct on (venue) venue, is_out from venue_switches
      where status in ('Done', 'Approved') and (${scheduled} or coalesce(effective_from, 0) <= (select t from tape_head))
      order by venue, id desc
    ) newest where is_out`.execute(db)
  return rows.map(({ venue }) => venue)
}

/** Returns the proposals that a second operator has yet to decide: at most one for each venue. */
export async function readPendingSwitches(db: Db | Tx): Promise<PendingSwitch[]> {
  const rows = await db
    .selectFrom('venue_switches')
    .select(['id', 'venue', 'is_out', 'reason', 'proposed_by'])
    .where('status', '=', 'Pending')
    .execute()
  return rows.map(({ proposed_by, is_out, ...row }) => ({ ...row, isOut: is_out, proposedBy: proposed_by }))
}

/** A switch that counts, or will. */
export interface VenueSwitch {
  venue: string
  isOut: boolean
  /** Tape time from which it counts. */
  from: Ms
}

/**
 * Returns the switches that count from a time in [since, until] on, newest first. `venues`: only those of these venues; of
 * all by default.
 */
export async function venueSwitchesSince(
  db: Db,
  since: Ms,
  limit: number,
  { until = Number.MAX_SAFE_INTEGER, venues }: { until?: Ms; venues?: readonly string[] | undefined } = {},
): Promise<VenueSwitch[]> {
  const { rows } = await sql<{ venue: string; is_out: boolean; from: bigint }>`
    select venue, is_out, "from" from (
      select venue, is_out,
        coalesce(effective_from, floor(extract(epoch from coalesce(decided_at, proposed_at)) * 1000)::bigint) as "from"
      from venue_switches where status in ('Done', 'Approved')
    ) s where "from" between ${since} and ${until} and (${venues ?? null}::text[] is null or venue = any (${venues ?? null}::text[]))
    order by "from" desc limit ${limit}`.execute(db)
  return rows.map((row) => ({ venue: row.venue, isOut: row.is_out, from: Number(row.from) }))
}

/** Serializes switches of venues: each of several simultaneous ones counts the venues that were taken out before it. */
export async function lockVenueSwitches(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('venue_switches'))`.execute(tx)
}

/** The result of a request to switch a venue. */
export type Switched =
  | { is: 'done' }
  | { is: 'proposed'; id: bigint; lost: number; openTrades: number }
  | { is: 'withdrawn'; id: bigint; isOut: boolean }

/**
 * Takes a venue out of all prices, or puts it back. If symbols would lose their price, or real trades are open whose price
 * it takes part in, it is only proposed; asking for the opposite withdraws the operator's own proposal. `lostWithout`: how
 * many symbols these venues together would cost.
 */
export async function switchVenue(
  tx: Tx,
  wish: { venue: string; isOut: boolean; reason: string; operatorId: bigint },
  {
    lostWithout,
    openTrades,
  }: { lostWithout(venues: readonly string[]): Promise<number>; openTrades(): Promise<number> },
): Promise<Switched> {
  const { venue, isOut, reason, operatorId } = wish
  await lockVenueSwitches(tx)
  const pending = (await readPendingSwitches(tx)).find((one) => one.venue === venue)
  if (pending) {
    if (isOut === pending.isOut || pending.proposedBy !== operatorId)
      throw new Problem(
        'wrong_state',
        `${pending.isOut ? 'Taking this exchange out' : 'Putting this exchange back'} has already been proposed. Decide it in Exchange switches.`,
      )
    await tx.updateTable('venue_switches').set({ status: 'Withdrawn' }).where('id', '=', pending.id).execute()
    return { is: 'withdrawn', id: pending.id, isOut: pending.isOut }
  }
  const outNow = await readVenuesOut(tx, { scheduled: true })
  if (isOut === outNow.includes(venue))
    throw new Problem('wrong_state', isOut ? 'This exchange is out already.' : 'This exchange is in use already.')
  const lost = isOut ? await lostWithout([...outNow, venue]) : 0
  const open = await openTrades()
  const needsTwo = lost > 0 || open > 0
  const { id } = await tx
    .insertInto('venue_switches')
    .values({
      venue,
      is_out: isOut,
      reason: reason.toWellFormed(),
      status: needsTwo ? 'Pending' : 'Done',
      symbols_lost: lost > 0 ? lost : null,
      open_trades: open > 0 ? open : null,
      proposed_by: operatorId,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return needsTwo ? { is: 'proposed', id, lost, openTrades: open } : { is: 'done' }
}

/** Locks a switch and returns it; undefined if there is none. */
export const findSwitch = (tx: Tx, id: bigint) =>
  tx
    .selectFrom('venue_switches')
    .select(['id', 'venue', 'is_out', 'status', 'reason', 'symbols_lost', 'open_trades', 'proposed_by'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

/** Stores the decision about a proposal. `lastEnd`: the end of the last trade that it waits for. */
export async function decideSwitch(
  tx: Tx,
  id: bigint,
  decision: { status: 'Approved'; lastEnd: Ms | null } | { status: 'Rejected'; reason: string },
  operatorId: bigint,
): Promise<void> {
  await tx
    .updateTable('venue_switches')
    .set({
      status: decision.status,
      // Its exit may still come in a later frame.
      effective_from:
        decision.status === 'Approved' && decision.lastEnd !== null ? BigInt(decision.lastEnd + OLDEST_MS + 1) : null,
      decided_by: operatorId,
      decided_at: sql<Date>`clock_timestamp()`,
      decision_reason: decision.status === 'Rejected' ? decision.reason.toWellFormed() : null,
    })
    .where('id', '=', id)
    .execute()
}
