import { Problem } from '#contract/problem.ts'
import { must } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import { decideProposal, insertProposal, type Proposal, pendingProposals } from '../../proposals/index.ts'
import { OLDEST_MS } from '../tape/gate.ts'

const KIND = 'venue-switches'

/** An operator's proposal to take a venue out of all prices, or to put it back. Its subject is the venue. */
export interface SwitchProposal {
  is_out: boolean
  /** How many symbols would have no price, and how many open real trades used its prices. Null if none. */
  symbols_lost: number | null
  open_trades: number | null
}

/** Returns the venues that are out of all prices. `scheduled`: as they will be once every decided switch counts. */
export async function readVenuesOut(db: Db | Tx, { scheduled = false } = {}): Promise<string[]> {
  const { rows } = await sql<{ venue: string }>`
    select venue from (
      select distinct on (venue) venue, is_out from venue_switches
      where ${scheduled} or coalesce(effective_from, 0) <= (select t from tape_head)
      order by venue, id desc
    ) newest where is_out`.execute(db)
  return rows.map(({ venue }) => venue)
}

/** Returns the proposals that a second operator has yet to decide: at most one for each venue. */
export const readPendingSwitches = (db: Db | Tx): Promise<Proposal<SwitchProposal>[]> => pendingProposals(db, KIND)

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
      select venue, is_out, coalesce(effective_from, floor(extract(epoch from switched_at) * 1000)::bigint) as "from"
      from venue_switches
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
  const pending = (await readPendingSwitches(tx)).find(({ subject }) => subject === venue)
  if (pending) {
    const { id, payload } = pending
    if (isOut === payload.is_out || pending.proposed_by !== operatorId)
      throw new Problem(
        'wrong_state',
        `${payload.is_out ? 'Taking this exchange out' : 'Putting this exchange back'} has already been proposed. Decide it in Exchange switches.`,
      )
    await decideProposal(tx, { kind: KIND, id }, { status: 'Withdrawn' }, operatorId)
    return { is: 'withdrawn', id, isOut: payload.is_out }
  }
  const outNow = await readVenuesOut(tx, { scheduled: true })
  if (isOut === outNow.includes(venue))
    throw new Problem('wrong_state', isOut ? 'This exchange is out already.' : 'This exchange is in use already.')
  const lost = isOut ? await lostWithout([...outNow, venue]) : 0
  const open = await openTrades()
  if (lost > 0 || open > 0) {
    const payload: SwitchProposal = {
      is_out: isOut,
      symbols_lost: lost > 0 ? lost : null,
      open_trades: open > 0 ? open : null,
    }
    const id = await insertProposal(tx, { kind: KIND, subject: venue, payload, reason, operatorId })
    return { is: 'proposed', id: must(id), lost, openTrades: open }
  }
  await tx
    .insertInto('venue_switches')
    .values({ venue, is_out: isOut, reason: reason.toWellFormed(), switched_by: operatorId })
    .execute()
  return { is: 'done' }
}

/** Carries out a proposal that was approved in this transaction. `lastEnd`: the end of the last trade that it waits for. */
export async function approveSwitch(
  tx: Tx,
  { id, venue, isOut, lastEnd }: { id: bigint; venue: string; isOut: boolean; lastEnd: Ms | null },
): Promise<void> {
  await tx
    .insertInto('venue_switches')
    // The exit of that trade may still come in a later frame.
    .values({ id, venue, is_out: isOut, effective_from: lastEnd === null ? null : BigInt(lastEnd + OLDEST_MS + 1) })
    .execute()
}
