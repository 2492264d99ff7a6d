import { SOURCES } from '#contract/prices/prices.ts'
import { must } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { wokeForFrame } from '../platform/process/beat.ts'
import { olderBars } from './candles/older-bars.ts'
import type { PricesDeps } from './deps.ts'
import { type Feed, kindOf } from './feeds/feed.ts'
import { type FeedView, ownView, remoteView } from './feeds/feed-view.ts'
import { openFeed } from './feeds/open-feed.ts'
import { createFeedPublisher } from './feeds/publish/publish-feed.ts'
import type { Housekeeping } from './housekeeping.ts'
import { createHousekeeping } from './housekeeping.ts'
import { type Instruments, loadInstruments, readInstruments } from './instruments/instruments.ts'
import { createMoves } from './instruments/moves.ts'
import { readVenuesOut } from './instruments/venue-switches.ts'
import { frameEvent } from './tape/frame-event.ts'
import { createLeader } from './tape/leader/leader.ts'
import { loadMemory } from './tape/load.ts'
import type { Memory } from './tape/memory/memory.ts'
import { createMemory } from './tape/memory/memory.ts'
import { createTape } from './tape/tape.ts'

export type Parts = Awaited<ReturnType<typeof openParts>>

/** Opens the tape and what writes and maintains it; starts nothing. */
export async function openParts(deps: PricesDeps) {
  const { database, clock, log, bus } = deps
  const { db } = database
  const instruments = await loadInstruments(db)
  const memory = createMemory(instruments)
  await loadMemory(database.pool, instruments, memory)
  const feed = await openOwnFeed(deps, instruments, memory)
  const own = feed && ownView({ feed, instruments, now: clock.now, refused: () => leader.gate.refused() })
  const others = remoteView({ db, bus, kind: () => must(SOURCES[memory.newestKind() ?? kindOf('simulation')]) })
  // Only the feed of the node that writes the tape counts.
  const view = (): FeedView => (own && (leader.leads() || !others.isKnown()) ? own : others)
  const tape = createTape({
    ...{ instruments, memory, view, clock },
    typicalMove: (slot) => moves.typical(slot),
    symbolStop: (symbol) => deps.symbolStop?.(symbol),
  })
  const stopping = new AbortController()
  const since = (slot: number) => memory.periods[slot]?.since
  const reloadInstruments = async () => {
    if (instruments.update(await readInstruments(db))) feed?.instrumentsChanged?.()
  }
  const reload = async () => {
    await reloadInstruments()
    feed?.setVenuesOut?.(await readVenuesOut(db))
  }
  // Before the first price: a venue that is out never counts, not even right after a start.
  await reload()
  await others.refresh()
  const leader = createLeader({
    ...{ url: deps.url, instruments, memory, feed, clock, log, isQuiet: deps.isQuiet, reloadInstruments },
    newEpoch: deps.config.NEW_TAPE_EPOCH,
    orders: () => deps.orders?.(),
    shown(frame, entries, periodBegan) {
      if (periodBegan) housekeeping.periodBegan()
      if (leader.leads()) bus.publishToOthers('frame', null)
      publisher?.shown()
      deps.onFrame?.(frameEvent(instruments, frame, entries))
      wokeForFrame()
    },
  })
  const publisher = own && createFeedPublisher({ own, leads: leader.leads, instruments, clock, db, bus })
  const housekeeping = openHousekeeping(deps, {
    ...{ instruments, memory, feed, leads: leader.leads, since, stop: stopping.signal },
    async reload() {
      await reload()
      // A leader shows its own feed.
      if (!leader.leads()) await others.refresh()
    },
  })
  const older = olderBars(db, instruments, { since, history: housekeeping.historyOf })
  const moves = createMoves({ memory, instruments, older })
  feed?.measureMovesBy?.((slot) => moves.typical(slot))
  const runHousekeeping = async () => {
    await housekeeping.round()
    await moves.measure()
  }
  return {
    instruments,
    memory,
    feed,
    own,
    view,
    tape,
    leader,
    publisher,
    housekeeping,
    runHousekeeping,
    older,
    since,
    reload,
    stopping,
  }
}

/** Opens this node's feed; undefined if it never writes the tape. */
async function openOwnFeed(
  { config, openVenue, log, feed }: PricesDeps,
  instruments: Instruments,
  memory: Memory,
): Promise<Feed | undefined> {
  if (!config.ROLES.includes('engine')) return undefined
  if (feed) return feed
  return openFeed({ config, instruments, openVenue, log, wasLive: () => memory.newestKind() === kindOf('live') })
}

const openHousekeeping = (
  { database, log, config, clock, bus, neededFrom, neededMinutes }: PricesDeps,
  parts: {
    instruments: Instruments
    memory: Memory
    feed: Feed | undefined
    leads(): boolean
    since(slot: number): Ms | undefined
    stop: AbortSignal
    reload(): Promise<void>
  },
): Housekeeping =>
  createHousekeeping({
    ...{ db: database.db, log, neededFrom, neededMinutes },
    ...parts,
    retentionDays: config.TAPE_RETENTION_DAYS,
    headT: () => parts.memory.head().t,
    now: () => Math.max(clock.now(), parts.memory.head().t),
    venueHistory: async (...asked) => parts.feed?.history?.(...asked),
    historyMade: () => bus.publishToOthers('instruments-changed', null),
  })
