import { INCIDENT_DAYS, INCIDENTS_MAX, type Incident, type incidentsCalls } from '#contract/prices/incidents.ts'
import { SOURCES } from '#contract/prices/prices.ts'
import { usdToNumber } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import { DAY_MS, type Ms, toIso } from '#kernel/time.ts'
import { payoutHaltsSince } from '../cashier/index.ts'
import { rulingsSince } from '../complaints/index.ts'
import type { Db } from '../platform/database/db.ts'
import type { Handlers } from '../platform/http/index.ts'
import { cachedFor } from '../platform/process/cached-for.ts'
import type { Clock } from '../platform/process/clock.ts'
import {
  type Instruments,
  outagesSince,
  sourceChangesSince,
  termsChangesSince,
  venueSwitchesSince,
} from '../prices/index.ts'
import { voidsSince } from '../trading/index.ts'

interface IncidentsDeps {
  clock: Pick<Clock, 'now'>
  instruments: Pick<Instruments, 'byId'>
  /** Returns the newest closings of instruments that lasted until this time or later. The desk keeps them. */
  closingsSince(db: Db, since: Ms, limit: number): Promise<InstrumentClosing[]>
}

/** An instrument that operators closed; `to` is null while it is. */
interface InstrumentClosing {
  symbol: string
  reason: string
  from: Date
  to: Date | null
}

const CACHED_FOR_MS = 60_000

/** The route of `contract/prices/incidents.ts`, cached so that traffic doesn't reach the database. */
export function incidentsRoutes(deps: IncidentsDeps): Handlers<keyof typeof incidentsCalls> {
  const read = cachedFor(CACHED_FOR_MS, async (db: Db) => {
    const since = deps.clock.now() - INCIDENT_DAYS * DAY_MS
    return { since: toIso(since), incidents: await readIncidents(db, deps, since) }
  })
  return { 'GET /public/incidents': async ({ reads }) => ({ status: true, data: await read(reads) }) }
}

/**
 * Returns the incidents since a time, newest first, derived from records that are written anyway, so nobody can add an
 * incident or leave one out.
 */
export async function readIncidents(
  db: Db,
  { instruments, closingsSince }: Pick<IncidentsDeps, 'instruments' | 'closingsSince'>,
  since: Ms,
): Promise<Incident[]> {
  const symbol = (id: number) => instruments.byId(id)?.symbol ?? ''
  const [voids, outages, changes, switches, terms, halts, closings, rulings] = await Promise.all([
    voidsSince(db, since, INCIDENTS_MAX),
    outagesSince(db, since, INCIDENTS_MAX),
    sourceChangesSince(db, since, INCIDENTS_MAX),
    venueSwitchesSince(db, since, INCIDENTS_MAX),
    termsChangesSince(db, since, INCIDENTS_MAX),
    payoutHaltsSince(db, since, INCIDENTS_MAX),
    closingsSince(db, since, INCIDENTS_MAX),
    rulingsSince(db, since, INCIDENTS_MAX),
  ])
  const incidents: Incident[] = [
    ...voids.map((one) => ({
      kind: 'voids' as const,
      from: toIso(one.from),
      to: toIso(one.to),
      symbol: symbol(one.symbolId),
      reason: one.reason,
      real: one.real,
      demo: one.demo,
    })),
    ...outages.map(({ from, to }) => ({
      kind: 'no_prices' as const,
      from: toIso(from),
      to: to === null ? null : toIso(to),
    })),
    ...changes.map(({ at, was, is, symbolIds }) => ({
      kind: 'source_changed' as const,
      from: toIso(at),
      was: must(SOURCES[was]),
      is: must(SOURCES[is]),
      symbols: symbolIds.map(symbol),
    })),
    ...switches.map(({ venue, isOut, from }) => ({
      kind: 'exchange_switched' as const,
      from: toIso(from),
      exchange: venue,
      out: isOut,
    })),
    ...terms.map(({ symbol, from }) => ({ kind: 'terms_changed' as const, from: toIso(from), symbol })),
    ...halts.map(({ started_at, ended_at }) => ({
      kind: 'payouts_halted' as const,
      from: started_at.toISOString(),
      to: ended_at?.toISOString() ?? null,
    })),
    ...closings.map(({ symbol, reason, from, to }) => ({
      kind: 'instrument_closed' as const,
      from: from.toISOString(),
      to: to?.toISOString() ?? null,
      symbol,
      reason,
    })),
    ...rulings.map(({ at, item, finding, complaints, tick }) => ({
      kind: 'ruling' as const,
      from: toIso(at),
      item,
      finding,
      complaints,
      tick: tick && {
        of: tick.of,
        symbol: symbol(tick.symbolId),
        at: toIso(tick.at),
        real: tick.real,
        demo: tick.demo,
        total: usdToNumber(tick.total),
      },
    })),
  ]
  return incidents.sort((a, b) => b.from.localeCompare(a.from)).slice(0, INCIDENTS_MAX)
}
