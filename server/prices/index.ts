import { setTimeout as sleep } from 'node:timers/promises'
import { type Ms, SECOND_MS } from '#kernel/time.ts'
import type { Config } from '../config.ts'
import { atMost } from '../platform/at-most.ts'
import type { Bus } from '../platform/bus.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/db.ts'
import type { Handlers } from '../platform/http/index.ts'
import type { Log } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'
import { StartProblem } from '../platform/start-problem.ts'
import { measureTape, type TapeSize } from './compact.ts'
import type { Feed } from './feed.ts'
import { type FrameEvent, frameEvent } from './frame-event.ts'
import type { Refusal } from './gate.ts'
import { createHousekeeping } from './housekeeping.ts'
import { type Instruments, loadInstruments } from './instruments.ts'
import { createLeader } from './leader.ts'
import { loadMemory } from './load.ts'
import { createMemory } from './memory.ts'
import { olderBars } from './older.ts'
import { searchTicks } from './read-ticks.ts'
import { loadRecording } from './recording.ts'
import { replayFeed } from './replay.ts'
import { type PriceCalls, pricesRoutes } from './routes.ts'
import { keptSeed, simulationFeed } from './simulation-feed.ts'
import { createTape, type Tape } from './tape.ts'

export type { TapeSize } from './compact.ts'
export type { Feed, Quote } from './feed.ts'
export type { FrameEvent } from './frame-event.ts'
export type { Refusal } from './gate.ts'
export type { Instrument, Instruments } from './instruments.ts'
export { readTicks, type StoredTick, TicksDropped } from './read-ticks.ts'
export type { PriceCalls } from './routes.ts'
export { type ScriptedFeed, scriptedFeed } from './scripted-feed.ts'
export type { SymbolStatus, Tape, Tick } from './tape.ts'
export { type KindChange, readKinds, tapeTime } from './tape-facts.ts'
export { type TapeVerdict, verifyTape } from './verify-tape.ts'

/** Maximum concurrent reads of data that is no longer in memory: they are costly, and anyone may request them. */
const OLD_READS = 2

export interface PricesTopics {
  frame: FrameEvent
}

export interface PricesDeps {
  database: Pick<Database, 'db' | 'pool'>
  /** Address of the same database, for the separate connection that holds the leader's lock. */
  url: string
  clock: Clock
  log: Log
  bus: Pick<Bus<PricesTopics>, 'publish'>
  config: Pick<
    Config,
    'FEED' | 'REPLAY_SPEED' | 'TAPE_RETENTION_DAYS' | 'NEW_TAPE_EPOCH' | 'ROLES' | 'dataDir' | 'realTradesOnTestPrices'
  >
  /**
   * Returns the oldest source time that open trades still need in the searchable index; infinity if they need nothing.
   */
  neededFrom(): Promise<Ms>
  /** Returns the minutes (their starts, within [from, to)) that trades and receipts need permanently. */
  neededMinutes(from: Ms, to: Ms): Promise<Set<Ms>>
  /** Tests: a custom feed. */
  feed?: Feed
  /** Tests: no loop runs; each `step()` makes at most one frame. */
  byHand?: boolean
}

export interface Prices {
  tape: Tape
  instruments: Instruments
  routes: Handlers<PriceCalls>
  /** Empty while all is well, otherwise what is wrong, for the health page. */
  health(): string
  /**
   * Runs one round of the tape: leads (at most one frame, due 250 ms after the last), or reads what other nodes wrote.
   */
  step(): Promise<void>
  /** Runs one round of maintenance: history, packing, pruning. */
  keepHouse(): Promise<void>
  /** Number of quotes the gate has rejected on this node, by reason. */
  refused(): ReadonlyMap<Refusal, number>
  /** Disk usage of the tape. */
  measure(): Promise<TapeSize>
  stop(): Promise<void>
}

const HOUSEKEEPING_MS = 5_000
const FIRST_PRICES_MS = 3_000
const SILENT_TAPE_MS = 5_000

/** Opens the tape, starts writing it if this node may, and waits briefly for its first prices and their history. */
export async function startPrices(deps: PricesDeps): Promise<Prices> {
  const { database, clock, log, config } = deps
  const { db } = database
  const instruments = await loadInstruments(db)
  const memory = createMemory(instruments)
  await loadMemory(database.pool, instruments, memory)
  const feed = deps.feed ?? (await openFeed(config, instruments))
  const tape = createTape({ instruments, memory, feed, clock })
  const stopping = new AbortController()
  const leader = createLeader({
    url: deps.url,
    instruments,
    memory,
    feed,
    clock,
    log,
    mayLead: config.ROLES.includes('feed'),
    newEpoch: config.NEW_TAPE_EPOCH,
    shown(frame, entries) {
      if (entries.some((entry) => entry.seq === 1)) house.firstTick()
      deps.bus.publish('frame', frameEvent(instruments, frame, entries))
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
    simulated: feed.kind === 'simulation',
    stop: stopping.signal,
  })
  const older = olderBars(db, instruments)
  const oldReads = atMost(OLD_READS, { waiting: 40, patienceMs: 3 * SECOND_MS })
  const routes = pricesRoutes({
    instruments,
    memory,
    tape,
    feed,
    clock,
    realTradesOnTestPrices: config.realTradesOnTestPrices,
    older: {
      minutesBefore: (...asked) => oldReads(() => older.minutesBefore(...asked)),
      secondsBefore: (...asked) => oldReads(() => older.secondsBefore(...asked)),
    },
    async readTicks(slot, from, to, limit) {
      const { ticks } = await oldReads(() => searchTicks(db, instruments.list[slot]!.id, from, to, limit))
      return ticks.map(({ seq, sourceMs, price }) => [seq, sourceMs, Number(price)])
    },
    simulatedUntil: house.simulatedUntil,
    unitsDayAgo: house.unitsDayAgo,
  })

  const loops: Loop[] = []
  if (!deps.byHand) {
    loops.push(startLoop('tape', 0, log, () => leader.step(true)))
    await firstPrices()
    // A failure here must not stop the start: the loop retries and reports it.
    await house.round().catch(() => undefined)
    loops.push(startLoop('prices housekeeping', HOUSEKEEPING_MS, log, house.round))
  }

  async function firstPrices(): Promise<void> {
    const begun = memory.head().n
    for (let waited = 0; waited < FIRST_PRICES_MS && memory.head().n === begun; waited += 20) await sleep(20)
  }

  return {
    tape,
    instruments,
    routes,
    step: () => leader.step(),
    keepHouse: house.round,
    refused: leader.gate.refused,
    measure: () => measureTape(db),
    health() {
      const silent = clock.now() - memory.head().t
      return silent > SILENT_TAPE_MS ? `the tape has been silent for ${Math.round(silent / 1000)} s` : ''
    },
    async stop() {
      stopping.abort()
      await Promise.all(loops.map((loop) => loop.stop()))
      await leader.stop()
      await feed.stop()
    },
  }
}

async function openFeed(config: PricesDeps['config'], instruments: Instruments): Promise<Feed> {
  const [kind, rest] = split(config.FEED)
  if (kind === 'live') {
    throw new StartProblem(
      "FEED=live:… isn't available yet. Use FEED=auto, simulation, simulation:SEED or replay:FOLDER.",
    )
  }
  if (kind === 'replay') {
    if (!(config.REPLAY_SPEED > 0)) throw new StartProblem('REPLAY_SPEED must be more than 0.')
    return replayFeed(instruments, await loadRecording(rest ?? '', instruments), config.REPLAY_SPEED)
  }
  return simulationFeed(instruments, rest ?? keptSeed(config.dataDir))
}

function split(feed: string): [string, string | undefined] {
  const colon = feed.indexOf(':')
  return colon < 0 ? [feed, undefined] : [feed.slice(0, colon), feed.slice(colon + 1)]
}
