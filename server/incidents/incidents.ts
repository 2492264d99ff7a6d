import { INCIDENT_DAYS, INCIDENTS_MAX, type Incident, type incidentsCalls } from '#contract/incidents.ts'
import { SOURCES } from '#contract/prices.ts'
import { DAY_MS, type Ms, toIso } from '#kernel/time.ts'
import { payoutHaltsSince } from '../cashier/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import type { Handlers } from '../platform/http/index.ts'
import { keptFor } from '../platform/kept-for.ts'
import { type Instruments, outagesSince, sourceChangesSince } from '../prices/index.ts'
import { voidsSince } from '../trading/index.ts'

export interface IncidentsDeps {
  db: Db
  clock: Pick<Clock, 'now'>
  instruments: Pick<Instruments, 'byId'>
}

const KEPT_FOR_MS = 60_000

/** The route of `contract/incidents.ts`, cached so that traffic doesn't reach the database. */
export function incidentsRoutes(deps: IncidentsDeps): Handlers<keyof typeof incidentsCalls> {
  const read = keptFor(KEPT_FOR_MS, async () => {
    const since = deps.clock.now() - INCIDENT_DAYS * DAY_MS
    return { since: toIso(since), incidents: await readIncidents(deps, since) }
  })
  return { 'GET /public/incidents': async () => ({ status: true, data: await read() }) }
}

/**
 * Returns what went wrong since a time, newest first, from the records that are written anyway: nobody adds an incident
 * to this list, and nobody can leave one out.
 */
export async function readIncidents({ db, instruments }: IncidentsDeps, since: Ms): Promise<Incident[]> {
  const symbol = (id: number) => instruments.byId(id)?.symbol ?? ''
  const [voids, outages, changes, halts] = await Promise.all([
    voidsSince(db, since, INCIDENTS_MAX),
    outagesSince(db, since, INCIDENTS_MAX),
    sourceChangesSince(db, since, INCIDENTS_MAX),
    payoutHaltsSince(db, since, INCIDENTS_MAX),
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
      was: SOURCES[was]!,
      is: SOURCES[is]!,
      symbols: symbolIds.map(symbol),
    })),
    ...halts.map(({ started_at, ended_at }) => ({
      kind: 'payouts_halted' as const,
      from: started_at.toISOString(),
      to: ended_at?.toISOString() ?? null,
    })),
  ]
  return incidents.sort((a, b) => b.from.localeCompare(a.from)).slice(0, INCIDENTS_MAX)
}
