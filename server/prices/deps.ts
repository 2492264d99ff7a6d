import type { Ms } from '#kernel/time.ts'
import type { Config } from '../config/config.ts'
import type { Bus } from '../platform/bus/index.ts'
import type { Database } from '../platform/database/db.ts'
import type { Clock } from '../platform/process/clock.ts'
import type { Log } from '../platform/process/log.ts'
import type { Venue } from '../venues/index.ts'
import type { Feed } from './feeds/feed.ts'
import type { FeedQuestions, FeedTopics } from './feeds/feed-view.ts'
import type { FrameEvent } from './tape/frame-event.ts'
import type { OrdersToBind } from './tape/leader/in-flight.ts'

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
  /** Why operators have stopped trading a symbol; undefined while they haven't. */
  symbolStop?(symbol: string): string | undefined
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
