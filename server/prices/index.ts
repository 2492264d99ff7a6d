import { setTimeout as sleep } from 'node:timers/promises'
import { SOURCES } from '#contract/prices.ts'
import { type Ms, SECOND_MS } from '#kernel/time.ts'
import type { Config } from '../config/config.ts'
import type { Bus } from '../platform/bus/index.ts'
import type { Database } from '../platform/database/db.ts'
import type { Handlers } from '../platform/http/index.ts'
import { atMost } from '../platform/process/at-most.ts'
import { awake } from '../platform/process/beat.ts'
import type { Clock } from '../platform/process/clock.ts'
import type { Log } from '../platform/process/log.ts'
import { type Loop, startLoop } from '../platform/process/loop.ts'
import type { Venue } from '../venues/index.ts'
import { olderBars } from './candles/older-bars.ts'
import { type Feed, kindOf } from './feeds/feed.ts'
import {
  type FeedQuestions,
  type FeedReports,
  type FeedTopics,
  type FeedView,
  factsOf,
  ownView,
  type PreviewWanted,
  remoteView,
  writeFeedState,
} from './feeds/feed-view.ts'
import { openFeed } from './feeds/open-feed.ts'
import { createHousekeeping } from './housekeeping.ts'
import { type Instruments, loadInstruments, readInstruments } from './instruments/instruments.ts'
import { createMoves } from './instruments/moves.ts'
import type { PricePreview } from './instruments/preview.ts'
import { type PriceMakingCalls, priceMakingRoutes } from './instruments/price-making.ts'
import { readVenuesOut, venueSwitchesSince } from './instruments/venue-switches.ts'
import { type PriceCalls, pricesRoutes } from './routes.ts'
import { measureTape, type TapeSize } from './tape/compact.ts'
import { type FrameEvent, frameEvent } from './tape/frame-event.ts'
import type { Refusal } from './tape/gate.ts'
import type { OrdersToBind } from './tape/leader/in-flight.ts'
import { createLeader } from './tape/leader/leader.ts'
import { loadMemory } from './tape/load.ts'
import { createMemory } from './tape/memory.ts'
import { searchTicks } from './tape/read-ticks.ts'
import { createTape, type Tape } from './tape/tape.ts'

export type { Bar } from './candles/candles.ts'
export { storedMinutes, storedRange } from './candles/stored-minutes.ts'
export type { Feed, Quote, VenueNow } from './feeds/feed.ts'
export type { FeedQuestions, FeedReports, VenueReports } from './feeds/feed-view.ts'
export { type RecordedDay, recordedDays } from './feeds/recorded-days.ts'
export { recordedMinutes } from './feeds/recording.ts'
export { type ScriptedFeed, scriptedFeed } from './feeds/scripted-feed.ts'
export {
  addInstrument,
  type ChangeableTerms,
  changeTerms,
  findInstrument,
  type NewInstrument,
  setClosedReason,
  withdrawInstrument,
} from './instruments/change-instruments.ts'
export { type Instrument, type Instruments, loadInstruments, wasAdded } from './instruments/instruments.ts'
export { type LooseInstrument, looseInstruments } from './instruments/loose-instruments.ts'
export type { PricePreview } from './instruments/preview.ts'
export type { PriceMakingCalls } from './instruments/price-making.ts'
export {
  approveSwitch,
  lockVenueSwitches,
  readPendingSwitches,
  readVenuesOut,
  type Switched,
  type SwitchProposal,
  switchVenue,
  venueSwitchesSince,
} from './instruments/venue-switches.ts'
export type { PriceCalls } from './routes.ts'
export { type FrameOrdersRow, frameOfOrder, framesWithOrders, ordersBoundSince } from './tape/bound-orders.ts'
export type { TapeSize } from './tape/compact.ts'
export { BrokenBody, bodyHash, chainHash, decodeBody, decodeFrame } from './tape/frame.ts'
export type { FrameEvent } from './tape/frame-event.ts'
export { OLDEST_MS, type Refusal } from './tape/gate.ts'
export type { OrdersToBind } from './tape/leader/in-flight.ts'
export { outagesSince, sourceChangesSince } from './tape/outages.ts'
export { framesOver, readFrames } from './tape/read-frames.ts'
export { firstTick, readTicks, type StoredTick, TicksDropped, ticksAround } from './tape/read-ticks.ts'
export type { BoundOrders } from './tape/store.ts'
export { type SymbolStatus, type Tape, type Tick, utcText } from './tape/tape.ts'
export { type KindChange, readKinds, tapeHead, tapeTime } from './tape/tape-facts.ts'
export { tapeState } from './tape/tape-state.ts'
export { type TapeVerdict, verifyTape } from './tape/verify-tape.ts'

/** Maximum concurrent reads of data that is no longer in memory: they are costly, and anyone may request them. */
const OLD_READS = 2

/** Hints between nodes: the tape has a new frame; the source of prices, instruments or venues have changed. */
export interface PricesTopics extends FeedTopics {
  frame: null
  'instruments-changed': null
}

export interface PricesDeps {
  database: Pick<Database, 'db' | 'pool'>
  /** Address of the same database, for the separate connection that holds the leader's lock. */
  url: string
  clock: Clock
  log: Log
  bus: Bus<PricesTopics, FeedQuestions>
  /** Called for each committed frame, in order. */
  onFrame?(event: FrameEvent): void
  config: Pick<
    Config,
    | 'FEED'
    | 'REPLAY_SPEED'
    | 'TAPE_RETENTION_DAYS'
    | 'NEW_TAPE_EPOCH'
    | 'ROLES'
    | 'PROOF_KEY'
    | 'dataDir'
    | 'realTradesOnTestPrices'
  >
  /**
   * Returns the oldest source time that open trades still need in the searchable index; infinity if they need nothing.
   */
  neededFrom(): Promise<Ms>
  /** Returns the minutes (their starts, within [from, to)) that trades and receipts need permanently. */
  neededMinutes(from: Ms, to: Ms): Promise<Set<Ms>>
  /** Whether nobody watches and no trade is open. Then a frame a second is enough. */
  isQuiet?(): boolean
  /** The accepted orders that the next frame binds; undefined while trading hasn't started. */
  orders?(): OrdersToBind | undefined
  /** Opens a trading venue by its id in the setting `FEED`. Without it there are no live prices. */
  openVenue?(id: string): Promise<Venue>
  /** Tests: a custom feed. */
  feed?: Feed
  /** Tests: no loop runs; each `step()` makes at most one frame. */
  byHand?: boolean
}

export interface Prices {
  tape: Tape
  instruments: Instruments
  routes: Handlers<PriceCalls | PriceMakingCalls>
  /** Empty while all is well, otherwise what is wrong, for the health page. */
  health(): string
  /**
   * Runs one round of the tape: leads (at most one frame, due 250 ms after the last), or reads what other nodes wrote.
   */
  step(): Promise<void>
  /** Runs one round of maintenance: history, packing, pruning. */
  keepHouse(): Promise<void>
  /** Returns how prices are being made: what the venues said, and how each is doing. */
  reports(): Promise<FeedReports>
  /** Returns what people should know about the source of prices, as text. */
  note(): string | undefined
  /** Returns how many symbols would lose their price without these venues. */
  symbolsLostWithout(venues: readonly string[]): Promise<number>
  /** Returns the symbols whose price is made from this venue's markets, or would be if it weren't out. */
  symbolsOfVenue(venue: string): Promise<string[]>
  /** Operators have changed instruments or venues: every node takes them over at once. */
  operatorsChanged(): Promise<void>
  /** Returns the price that an instrument would have now if it were added. */
  preview(wanted: PreviewWanted): Promise<PricePreview>
  /** Someone watches or trades from now on, after nobody did: the next frame is due sooner. */
  endQuiet(): void
  /** Whether this node writes the tape. */
  leads(): boolean
  /** Number of quotes the gate has rejected on this node, by reason. */
  refused(): ReadonlyMap<Refusal, number>
  /** Disk usage of the tape. */
  measure(): Promise<TapeSize>
  stop(): Promise<void>
}

const HOUSEKEEPING_MS = 5_000
const FIRST_PRICES_MS = 3_000
const SILENT_TAPE_MS = 5_000
/** How many switches of exchanges are listed at once. */
const SWITCHES_MAX = 100
const FEED_STATE_MS = { watched: 1_000, quiet: 5_000 }

/** Opens the tape, starts writing it if this node may, and waits briefly for its first prices and their history. */
export async function startPrices(deps: PricesDeps): Promise<Prices> {
  const { database, clock, log, config, bus } = deps
  const { db } = database
  const instruments = await loadInstruments(db)
  const memory = createMemory(instruments)
  await loadMemory(database.pool, instruments, memory)
  const feed = config.ROLES.includes('engine')
    ? (deps.feed ??
      (await openFeed({
        config,
        instruments,
        openVenue: deps.openVenue,
        log,
        wasLive: () => memory.newestKind() === kindOf('live'),
      })))
    : undefined
  const own = feed && ownView({ feed, instruments, now: clock.now, refused: () => leader.gate.refused() })
  const others = remoteView({ db, bus, kind: () => SOURCES[memory.newestKind() ?? kindOf('simulation')]! })
  // Only the feed of the node that writes the tape counts.
  const view = (): FeedView => (own && (leader.leads() || !others.isKnown()) ? own : others)
  const tape = createTape({ instruments, memory, view, clock, typicalMove: (slot) => moves.typical(slot) })
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
    reloadInstruments,
    url: deps.url,
    instruments,
    memory,
    feed,
    clock,
    log,
    newEpoch: config.NEW_TAPE_EPOCH,
    isQuiet: deps.isQuiet,
    orders: () => deps.orders?.(),
    shown(frame, entries, periodBegan) {
      if (periodBegan) house.periodBegan()
      if (leader.leads()) bus.publishToOthers('frame', null)
      // People should know at once what prices come from.
      if (own && leader.leads() && sourceOf(own) !== publishedSource) publishing?.wake()
      deps.onFrame?.(frameEvent(instruments, frame, entries))
      awake()
    },
  })
  const house = createHousekeeping({
    db,
    instruments,
    log,
    retentionDays: config.TAPE_RETENTION_DAYS,
    neededFrom: deps.neededFrom,
    neededMinutes: deps.neededMinutes,
    headT: () => memory.head().t,
    now: () => Math.max(clock.now(), memory.head().t),
    leads: leader.leads,
    async reload() {
      await reload()
      // A leader shows its own feed.
      if (!leader.leads()) await others.refresh()
    },
    venueHistory: async (...asked) => feed?.history?.(...asked),
    historyMade: () => bus.publishToOthers('instruments-changed', null),
    since,
    stop: stopping.signal,
  })
  const moves = createMoves({
    memory,
    instruments,
    older: olderBars(db, instruments, { since, history: house.historyOf }),
  })
  feed?.measureMovesBy?.((slot) => moves.typical(slot))
  const keepHouse = async () => {
    await house.round()
    await moves.measure()
  }
  const oldReads = atMost(OLD_READS, { waiting: 40, patienceMs: 3 * SECOND_MS })
  const routes = pricesRoutes({
    instruments,
    memory,
    tape,
    view,
    clock,
    realTradesOnTestPrices: config.realTradesOnTestPrices,
    older(from) {
      const older = olderBars(from, instruments, { since, history: house.historyOf })
      return {
        minutesBefore: (...asked) => oldReads(() => older.minutesBefore(...asked)),
        secondsBefore: (...asked) => oldReads(() => older.secondsBefore(...asked)),
      }
    },
    async readTicks(reads, slot, from, to, limit) {
      const { ticks } = await oldReads(() => searchTicks(reads, instruments.list[slot]!.id, from, to, limit))
      return ticks.map(({ seq, sourceMs, price }) => [seq, sourceMs, Number(price)])
    },
    historyOf: house.historyOf,
    unitsDayAgo: house.unitsDayAgo,
  })

  const making = priceMakingRoutes({
    instruments,
    memory,
    tape,
    view,
    clock,
    switches: (from, since, until, venues) =>
      oldReads(() => venueSwitchesSince(from, since, SWITCHES_MAX, { until, venues })),
    search: (symbolId, from, to) => oldReads(() => searchTicks(db, symbolId, from, to, Number.MAX_SAFE_INTEGER)),
  })

  const sourceOf = ({ kind, note }: FeedView) => `${kind} ${note()}`
  let publishing: Loop | undefined
  let publishedSource = ''
  let publishedFacts = ''
  let publishedReports = ''
  /** Publishes what the other nodes show of the feed. */
  async function publishFeed(): Promise<void> {
    if (!own || !leader.leads()) return
    publishedSource = sourceOf(own)
    const facts = JSON.stringify(factsOf(own, instruments, clock.now()))
    if (facts !== publishedFacts) {
      await writeFeedState(db, 'facts', facts)
      bus.publishToOthers('feed-changed', null)
      publishedFacts = facts
    }
    const reports = JSON.stringify(await own.reports())
    if (reports === publishedReports) return
    await writeFeedState(db, 'reports', reports)
    publishedReports = reports
  }

  bus.answer('price-preview', async (wanted) => (own && leader.leads() ? own.preview(wanted) : undefined))
  bus.answer('symbols-lost', async ({ venues }) =>
    own && leader.leads() ? { count: await own.symbolsLostWithout(venues) } : undefined,
  )

  bus.answer('symbols-of-venue', async ({ venue }) =>
    own && leader.leads() ? { symbols: await own.symbolsOfVenue(venue) } : undefined,
  )

  const loops: Loop[] = []
  if (!deps.byHand) {
    const writing = startLoop('tape', 0, log, () => leader.step(true))
    loops.push(writing)
    bus.subscribe('frame', leader.wake)
    bus.onGap(leader.wake)
    await firstPrices()
    // A failure here must not stop the start: the loop retries and reports it.
    await keepHouse().catch(() => undefined)
    const keeping = startLoop('prices housekeeping', HOUSEKEEPING_MS, log, keepHouse)
    loops.push(keeping)
    bus.subscribe('feed-changed', keeping.wake)
    bus.subscribe('instruments-changed', () => {
      house.historyChanged()
      keeping.wake()
    })
    bus.onGap(keeping.wake)
    if (own) {
      publishing = startLoop(
        'feed state',
        () => FEED_STATE_MS[deps.isQuiet?.() ? 'quiet' : 'watched'],
        log,
        publishFeed,
      )
      loops.push(publishing)
    }
  }

  async function firstPrices(): Promise<void> {
    const begun = memory.head().n
    for (let waited = 0; waited < FIRST_PRICES_MS && memory.head().n === begun; waited += 20) await sleep(20)
  }

  return {
    tape,
    instruments,
    routes: { ...routes, ...making },
    step: () => leader.step(),
    keepHouse,
    preview: (wanted) => view().preview(wanted),
    endQuiet() {
      leader.wake()
      publishing?.wake()
    },
    leads: leader.leads,
    refused: leader.gate.refused,
    reports: () => view().reports(),
    note: () => view().note(),
    symbolsLostWithout: (venues) => view().symbolsLostWithout(venues),
    symbolsOfVenue: (venue) => view().symbolsOfVenue(venue),
    async operatorsChanged() {
      bus.publishToOthers('instruments-changed', null)
      await reload()
    },
    measure: () => measureTape(db),
    health() {
      const silent = clock.now() - memory.head().t
      return silent > SILENT_TAPE_MS ? `the tape has been silent for ${Math.round(silent / 1000)} s` : ''
    },
    async stop() {
      stopping.abort()
      const ended = Promise.all(loops.map((loop) => loop.stop()))
      // It may rest until the next frame.
      leader.wake()
      await ended
      await leader.stop()
      await feed?.stop()
    },
  }
}
