import { must } from '#kernel/must.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import type { Log } from '../platform/process/log.ts'
import { pricesAt } from './candles/day-ago.ts'
import { type History, makeHistory, readHistories } from './candles/history.ts'
import type { VenueHistory } from './feeds/feed.ts'
import type { Instrument } from './instruments/instruments.ts'
import { type CompactDeps, dropOldBodies, packClosedMinutes, pruneTicks } from './tape/compact.ts'

/** Periodic maintenance of the tape: instruments that changed, what charts show before the tape, packing, pruning, the prices of a day ago. */
export interface Housekeeping {
  /** Runs whatever is due. */
  round(): Promise<void>
  /** A period began: its history can now be made to end at its first tick. */
  periodBegan(): void
  /** Another node has made a history: it must be read. */
  historyChanged(): void
  /** Returns the history of the slot's newest period; undefined while it has none. */
  historyOf(slot: number): History | undefined
  unitsDayAgo(slot: number): number | undefined
}

interface HousekeepingDeps extends CompactDeps {
  log: Log
  headT(): Ms
  now(): Ms
  /** Only the node that writes the tape packs it. */
  leads(): boolean
  /** Returns a venue's own minutes of [from, until); undefined if they can't be had now. */
  venueHistory(instrument: Instrument, from: Ms, until: Ms): Promise<VenueHistory | undefined>
  /** Called when this node has made histories. */
  historyMade(): void
  /** Takes over what has changed: instruments, venues, the facts of the feed. */
  reload(): Promise<void>
  /** Start of the slot's newest period; undefined before its first tick. */
  since(slot: number): Ms | undefined
  stop: AbortSignal
}

export function createHousekeeping(deps: HousekeepingDeps): Housekeeping {
  const past = createPast(deps)
  const packing = createPacking(deps)
  let led = false
  return {
    async round() {
      const now = deps.now()
      await deps.reload()
      const leads = deps.leads()
      // What the leader before this one had begun may be missing.
      if (leads && !led) past.historyDue()
      if (!leads) packing.forget()
      led = leads
      await past.round(now, leads)
      if (deps.leads()) await packing.round(now)
    },
    periodBegan: past.historyDue,
    historyChanged: past.historyDue,
    historyOf: past.historyOf,
    unitsDayAgo: past.unitsDayAgo,
  }
}

/** What charts show before the tape, and the prices of a day ago. */
function createPast(deps: HousekeepingDeps) {
  const { db, instruments } = deps
  let historyDue = true
  let historyTriedAt = 0
  let dayAgoAt = 0
  let histories = new Map<number, History>()
  let dayAgo = new Map<number, number>()
  const readPricesAt = pricesAt(db, instruments)

  async function history(leads: boolean): Promise<void> {
    historyDue = false
    historyTriedAt = 0
    try {
      if (leads) {
        const { made, missing } = await makeHistory(db, instruments, deps.venueHistory)
        // What a venue couldn't give now is asked for again later.
        if (missing > 0) historyTriedAt = deps.now()
        if (made > 0) deps.historyMade()
      }
      const known = await readHistories(db)
      histories = new Map(known.map((history) => [history.symbolId, history]))
      dayAgoAt = 0
    } catch (error) {
      historyDue = true
      throw error
    }
  }

  return {
    async round(now: Ms, leads: boolean): Promise<void> {
      if (historyDue || (historyTriedAt > 0 && now - historyTriedAt >= MINUTE_MS)) await history(leads)
      if (now - dayAgoAt >= MINUTE_MS) {
        dayAgo = await readPricesAt(now - DAY_MS, [...histories.values()])
        dayAgoAt = now
      }
    },
    historyDue(): void {
      historyDue = true
    },
    historyOf(slot: number): History | undefined {
      const history = histories.get(must(instruments.list[slot]).id)
      return history?.since === deps.since(slot) ? history : undefined
    },
    unitsDayAgo: (slot: number): number | undefined => dayAgo.get(slot),
  }
}

/** Packs closed minutes, and drops the bodies of expired ones. */
function createPacking(deps: HousekeepingDeps) {
  // Drop nothing right after a start: the rooms that report what they need may not all be open yet.
  let droppedAt: Ms | undefined
  // The tape's minute when nothing was left to pack.
  let packedIn: Ms | undefined
  return {
    async round(now: Ms): Promise<void> {
      const headT = deps.headT()
      if (startOf(headT, MINUTE_MS) !== packedIn) {
        const packed = await packClosedMinutes(deps, headT, deps.stop)
        if (packed > 0) await pruneTicks(deps, headT)
        packedIn = startOf(headT, MINUTE_MS)
      }
      droppedAt ??= now
      if (now - droppedAt >= HOUR_MS) {
        const { dropped, done } = await dropOldBodies(deps, deps.headT())
        if (dropped > 0) deps.log.info({ dropped }, 'dropped the bodies of expired minutes')
        if (done) droppedAt = now
      }
    },
    /** Another node packs now. */
    forget(): void {
      packedIn = undefined
    },
  }
}
