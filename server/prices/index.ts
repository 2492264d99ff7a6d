import { setTimeout as sleep } from 'node:timers/promises'
import { type Price, price } from '#kernel/price.ts'
import type { Ms } from '#kernel/time.ts'
import { type Config, StartProblem } from '#server/config.ts'
import type { Bus } from '#server/platform/bus.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Database } from '#server/platform/db.ts'
import type { Handlers } from '#server/platform/http/index.ts'
import type { Log } from '#server/platform/log.ts'
import { startLoop } from '#server/platform/loop.ts'
import type { OlderPieces } from './candles.ts'
import type { Feed } from './feed.ts'
import { type Instruments, loadInstruments } from './instruments.ts'
import { createLeader } from './leader.ts'
import { loadMemory } from './load.ts'
import { createMemory } from './memory.ts'
import { type PriceCalls, pricesRoutes } from './routes.ts'
import { keptSeed, simulationFeed } from './simulation-feed.ts'
import { readIndexedTicks } from './store.ts'
import { createTape, type Tape } from './tape.ts'

export type { Feed, Quote } from './feed.ts'
export type { Instrument, Instruments } from './instruments.ts'
export type { PriceCalls } from './routes.ts'
export { type ScriptedFeed, scriptedFeed } from './scripted-feed.ts'
export type { SymbolStatus, Tape, Tick } from './tape.ts'

/** A frame after its commit. */
export interface FrameEvent {
  n: number
  t: Ms
  /** By ascending symbol. */
  entries: {
    symbol: string
    symbolId: number
    price: Price
    scale: number
    sourceMs: Ms
    seq: number
    /** 0 live, 1 replay, 2 simulation. */
    kind: number
  }[]
}

export interface PricesTopics {
  frame: FrameEvent
}

export interface PricesDeps {
  database: Pick<Database, 'db' | 'pool'>
  /** Address of the same database for the connection of its own that holds the leader's lock. */
  url: string
  clock: Clock
  log: Log
  bus: Pick<Bus<PricesTopics>, 'publish'>
  config: Pick<Config, 'FEED' | 'REPLAY_SPEED' | 'TAPE_RETENTION_DAYS' | 'ROLES' | 'dataDir' | 'realTradesOnTestPrices'>
  /** The oldest source time that open trades still need in the searchable index; infinity where they need nothing. */
  neededFrom(): Promise<Ms>
  /** Which minutes (their beginnings, within [from, to)) trades and receipts need for good. */
  neededMinutes(from: Ms, to: Ms): Promise<Set<Ms>>
  /** Tests: a feed of their own. */
  feed?: Feed
  /** Tests: no loop runs; each `step()` makes at most one frame. */
  byHand?: boolean
}

export interface Prices {
  tape: Tape
  instruments: Instruments
  routes: Handlers<PriceCalls>
  /** Empty while all is well, else what is wrong, for the health page. */
  health(): string
  /** One round of the tape by hand: leads (at most one frame, due 250 ms after the last), or reads what others wrote. */
  step(): Promise<void>
  stop(): Promise<void>
}

const FIRST_PRICES_MS = 3_000
const SILENT_TAPE_MS = 5_000

/** Opens the tape, begins to write it where this node may, and waits shortly for its first prices. */
export async function startPrices(deps: PricesDeps): Promise<Prices> {
  const { database, clock, log, config } = deps
  const instruments = await loadInstruments(database.db)
  const memory = createMemory(instruments)
  await loadMemory(database.pool, instruments, memory)
  const feed = deps.feed ?? (await openFeed(config, instruments))
  const tape = createTape({ instruments, memory, feed, clock })
  const leader = createLeader({
    url: deps.url,
    instruments,
    memory,
    feed,
    clock,
    log,
    mayLead: config.ROLES.includes('feed'),
    shown(frame, entries) {
      deps.bus.publish('frame', {
        n: frame.n,
        t: frame.t,
        entries: entries.map(({ units, ...entry }) => ({
          ...entry,
          symbolId: instruments.bySymbol(entry.symbol)?.id ?? 0,
          price: price(BigInt(units)),
        })),
      })
    },
  })
  const older: OlderPieces = {
    minutes: async () => [],
    points: async () => [],
    beginning: async () => 0,
  }
  const routes = pricesRoutes({
    instruments,
    memory,
    tape,
    feed,
    clock,
    realTradesOnTestPrices: config.realTradesOnTestPrices,
    older,
    readTicks: (slot, from, to, limit) => readIndexedTicks(database.db, instruments.list[slot]!.id, from, to, limit),
    simulatedUntil: () => undefined,
    unitsBefore: () => undefined,
  })

  const loop = deps.byHand ? undefined : startLoop('tape', 0, log, () => leader.step(true))
  if (loop) await firstPrices()

  async function firstPrices(): Promise<void> {
    const begun = memory.head().n
    for (let waited = 0; waited < FIRST_PRICES_MS && memory.head().n === begun; waited += 20) await sleep(20)
  }

  return {
    tape,
    instruments,
    routes,
    step: () => leader.step(),
    health() {
      const silent = clock.now() - memory.head().t
      return silent > SILENT_TAPE_MS ? `the tape has been silent for ${Math.round(silent / 1000)} s` : ''
    },
    async stop() {
      await loop?.stop()
      await leader.stop()
      await feed.stop()
    },
  }
}

async function openFeed(config: PricesDeps['config'], instruments: Instruments): Promise<Feed> {
  const [kind, rest] = split(config.FEED)
  if (kind === 'live') {
    throw new StartProblem('FEED=live:… is not there yet: use FEED=auto, simulation, simulation:SEED or replay:FOLDER.')
  }
  if (kind === 'replay') throw new StartProblem('FEED=replay:… is not there yet.')
  return simulationFeed(instruments, rest ?? keptSeed(config.dataDir))
}

function split(feed: string): [string, string | undefined] {
  const colon = feed.indexOf(':')
  return colon < 0 ? [feed, undefined] : [feed.slice(0, colon), feed.slice(colon + 1)]
}
