import type { Parsed } from '#contract/api.ts'
import type { DeskVenue } from '#contract/desk/markets/feeds.ts'
import { Problem } from '#contract/problem.ts'
import { toIso } from '#kernel/time.ts'
import type { Tx } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { readPendingSwitches, type Switched, switchVenue, type VenueReports } from '../../prices/index.ts'
import { openRealTrades } from '../../trading/index.ts'
import { audited, type Done } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'

/** Returns how each venue of live prices is doing, and which wait to be taken out. */
export async function venues(deps: Pick<DeskDeps, 'prices' | 'reads'>): Promise<DeskVenue[]> {
  const { venues: now } = await deps.prices.reports()
  if (now.length === 0) return []
  const pending = new Map((await readPendingSwitches(deps.reads)).map((one) => [one.subject, one]))
  return now.map((venue) => {
    const wish = pending.get(venue.venue)
    return {
      ...toDesk(venue),
      symbols_lost: venue.symbolsLost,
      ...(wish ? { pending: { id: String(wish.id), reason: wish.reason, operator_id: String(wish.proposed_by) } } : {}),
    }
  })
}

const toDesk = (venue: VenueReports): Omit<DeskVenue, 'symbols_lost' | 'pending'> => ({
  venue: venue.venue,
  name: venue.name,
  condition: venue.condition,
  markets: venue.markets,
  counted: venue.counted,
  ...(venue.connectedSinceMs === undefined ? {} : { connected_since: toIso(venue.connectedSinceMs) }),
  ...(venue.lastDrop ? { last_drop: { at: toIso(venue.lastDrop.atMs), why: venue.lastDrop.why.slice(0, 200) } } : {}),
  messages_per_second: venue.messagesPerSecond,
  rejects_per_second: venue.rejectsPerSecond,
  dropped: venue.dropped as Record<string, number>,
  skew_ms: venue.skewMs,
  ...(venue.lagMs === undefined ? {} : { lag_ms: venue.lagMs }),
  ...(venue.quarantinedUntilMs === undefined ? {} : { quarantined_until: toIso(venue.quarantinedUntilMs) }),
  hour: venue.hour.map(({ atMs, messagesPerSecond, rejectsPerSecond, condition }) => ({
    at: toIso(atMs),
    messages_per_second: messagesPerSecond,
    rejects_per_second: rejectsPerSecond,
    condition,
  })),
})

/** Counts the open real trades whose price a venue takes part in, or would. */
export async function openTradesOn({ prices }: Pick<DeskDeps, 'prices'>, tx: Tx, venue: string) {
  const symbols = await prices.symbolsOfVenue(venue)
  return openRealTrades(
    tx,
    symbols.flatMap((symbol) => prices.instruments.bySymbol(symbol)?.id ?? []),
  )
}

/** Takes a venue out of all prices, puts it back, or proposes it, and returns the result as text. */
export async function switchVenueAt(
  deps: Pick<DeskDeps, 'db' | 'prices'>,
  who: WhoOperates,
  { venue }: Parsed<'POST /desk/feeds/venues/:venue', 'params'>,
  { out, reason }: Parsed<'POST /desk/feeds/venues/:venue', 'body'>,
): Promise<string> {
  const known = (await deps.prices.reports()).venues.find((one) => one.venue === venue)
  if (!known) throw new Problem('not_found', 'No prices come from this exchange.')
  const switched = await audited(deps.db, who, async (tx): Promise<Done<Switched>> => {
    const wish = { venue, isOut: out, reason, operatorId: who.operatorId }
    const answer = await switchVenue(tx, wish, {
      lostWithout: deps.prices.symbolsLostWithout,
      openTrades: async () => (await openTradesOn(deps, tx, venue)).count,
    })
    if (answer.is === 'proposed') {
      const { id, lost, openTrades } = answer
      const after = { status: 'Pending', venue, out, symbols_lost: lost, open_trades: openTrades }
      return {
        answer,
        entry: { action: 'propose', item: { kind: 'venue-switches', id: String(id) }, after, why: reason },
      }
    }
    if (answer.is === 'withdrawn') {
      const item = { kind: 'venue-switches', id: String(answer.id) }
      return { answer, entry: { action: 'withdraw', item, after: { status: 'Withdrawn', venue }, why: reason } }
    }
    const item = { kind: 'venues', id: venue }
    return { answer, entry: { action: out ? 'take-out' : 'put-back', item, after: { out }, why: reason } }
  })
  if (switched.is === 'proposed') {
    const { lost, openTrades } = switched
    const why =
      lost > 0
        ? `${lost === 1 ? '1 symbol' : `${lost} symbols`} would have no price`
        : `${openTrades === 1 ? '1 open real trade uses' : `${openTrades} open real trades use`} its prices`
    return `Proposed. ${why}, so another risk operator must approve it.`
  }
  if (switched.is === 'withdrawn') return `Withdrawn. ${known.name} stays ${switched.isOut ? 'in use' : 'out'}.`
  await deps.prices.operatorsChanged()
  return out ? `${known.name} is out.` : `${known.name} is in use again.`
}
