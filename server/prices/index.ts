import { must } from '#kernel/must.ts'
import { type Ms, startOf } from '#kernel/time.ts'
import type { Handlers } from '../platform/http/index.ts'
import { type Bar, readBars } from './candles/candles.ts'
import type { PricesDeps } from './deps.ts'
import type { FeedReports, PreviewWanted } from './feeds/feed-view.ts'
import { answerForFeed } from './feeds/publish/publish-feed.ts'
import type { Instruments } from './instruments/instruments.ts'
import type { PricePreview } from './instruments/preview.ts'
import type { PriceCompositionCalls } from './instruments/price-composition.ts'
import { startLoops } from './loops.ts'
import { routesOf } from './open-routes.ts'
import { openParts } from './parts.ts'
import type { PriceCalls } from './routes.ts'
import { measureTape, type TapeSize } from './tape/compact.ts'
import type { Refusal } from './tape/gate.ts'
import type { Tape } from './tape/tape.ts'

export { storedMinutes, storedRange } from './candles/stored-minutes.ts'
export type { PricesTopics } from './deps.ts'
export type { Feed } from './feeds/feed.ts'
export type { FeedQuestions, VenueReports } from './feeds/feed-view.ts'
export { type RecordedDay, recordedDays } from './feeds/recorded-days.ts'
export { recordedMinutes } from './feeds/recording.ts'
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
export { termsChangesSince } from './instruments/terms-changes.ts'
export {
  approveSwitch,
  lockVenueSwitches,
  readPendingSwitches,
  type Switched,
  type SwitchProposal,
  switchVenue,
  venueSwitchesSince,
} from './instruments/venue-switches.ts'
export { type FrameOrdersRow, frameOfOrder, framesWithOrders, ordersBoundSince } from './tape/bound-orders.ts'
export type { FrameEvent } from './tape/frame-event.ts'
export { BrokenBody, bodyHash, chainHash, decodeFrame } from './tape/frames/frame.ts'
export { OLDEST_MS } from './tape/gate.ts'
export type { OrdersToBind } from './tape/leader/in-flight.ts'
export { outagesSince, sourceChangesSince } from './tape/outages.ts'
export { framesOver, readFrames } from './tape/read-frames.ts'
export { firstTick, readTicks, type StoredTick, TicksDropped, ticksAround } from './tape/read-ticks.ts'
export type { BoundOrders } from './tape/store.ts'
export { type Tape, type Tick, utcText } from './tape/tape.ts'
export { type KindChange, readKinds, tapeHead, tapeTime } from './tape/tape-facts.ts'
export { tapeState } from './tape/tape-state.ts'
export { StatedVariances, type VariancesAt, varianceFor, variancesAt } from './tape/variances.ts'
export { verifyTape } from './tape/verify-tape.ts'

export interface Prices {
  tape: Tape
  instruments: Instruments
  routes: Handlers<PriceCalls | PriceCompositionCalls>
  /** Empty while all is well, otherwise what is wrong, for the health page. */
  health(): string
  /**
   * Runs one round of the tape: leads (at most one frame, due 250 ms after the last), or reads what other nodes wrote.
   */
  step(): Promise<void>
  /**
   * Returns the newest `count` candles of a length that ended at or before `until`, oldest first, from memory, the
   * database and the history before the tape: all of the newest price's kind of source. Costly where memory ends.
   */
  candles(symbol: string, intervalMs: number, count: number, until: Ms): Promise<Bar[]>
  /** Runs one round of maintenance: history, packing, pruning. */
  runHousekeeping(): Promise<void>
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

const SILENT_TAPE_MS = 5_000

/** Opens the tape, starts writing it if this node may, and waits briefly for its first prices and their history. */
export async function startPrices(deps: PricesDeps): Promise<Prices> {
  const { clock, bus } = deps
  const { db } = deps.database
  const parts = await openParts(deps)
  const { instruments, memory, feed, view, tape, leader, publisher } = parts
  const routes = routesOf(deps, parts)
  answerForFeed(bus, () => (parts.own && leader.leads() ? parts.own : undefined))
  const loops = deps.byHand ? [] : await startLoops(deps, parts)

  return {
    tape,
    instruments,
    routes,
    step: () => leader.step(),
    runHousekeeping: parts.runHousekeeping,
    candles(symbol, intervalMs, count, until) {
      const slot = must(instruments.slotOf(symbol))
      return readBars(memory, parts.older, slot, intervalMs, count, startOf(until, intervalMs))
    },
    preview: (wanted) => view().preview(wanted),
    endQuiet() {
      leader.wake()
      publisher?.wake()
    },
    leads: leader.leads,
    refused: leader.gate.refused,
    reports: () => view().reports(),
    note: () => view().note(),
    symbolsLostWithout: (venues) => view().symbolsLostWithout(venues),
    symbolsOfVenue: (venue) => view().symbolsOfVenue(venue),
    async operatorsChanged() {
      bus.publishToOthers('instruments-changed', null)
      await parts.reload()
    },
    measure: () => measureTape(db),
    health() {
      const silent = clock.now() - memory.head().t
      return silent > SILENT_TAPE_MS ? `the tape has been silent for ${Math.round(silent / 1000)} s` : ''
    },
    async stop() {
      parts.stopping.abort()
      const ended = Promise.all(loops.map((loop) => loop.stop()))
      // It may rest until the next frame.
      leader.wake()
      await ended
      await leader.stop()
      await feed?.stop()
    },
  }
}
