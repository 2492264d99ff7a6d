import { type PriceSource, SOURCES } from '#contract/prices/prices.ts'
import type { Ms } from '#kernel/time.ts'
import type { SymbolReport, VenueMinuteReport, VenueReport, Wanted } from '../../venues/index.ts'
import type { Bar } from '../candles/candles.ts'
import type { Instrument } from '../instruments/instruments.ts'
import type { PricePreview } from '../instruments/preview.ts'

/** A venue's message, reduced to what the engine needs. Untrusted until the gate has checked it. */
export interface Quote {
  symbol: string
  /** Decimal text, exactly as the venue sent it. */
  uncheckedPrice: string
  /** The venue's own time, corrected for its estimated skew; undefined if its message carries none. */
  venueMs: Ms | undefined
  /** When it arrived, in tape time. */
  receivedMs: Ms
}

/** Where a feed delivers its quotes. Implemented by the gate, which rejects what is not fit for the tape. */
export interface QuoteSink {
  quote(quote: Quote): void
  /** A price that is already a whole number at the instrument's scale (replay, simulation). */
  tick(slot: number, units: number, sourceMs: Ms): void
  /**
   * The price at that time, whether it changed or not: news if it differs from the newest tick, otherwise a heartbeat.
   */
  state(slot: number, units: number, sourceMs: Ms): void
  /** Proof that the source was alive at that time and would have sent news: the last price may be repeated for it. */
  alive(slot: number, sourceMs: Ms): void
}

/** A venue as the desk sees it. */
export interface VenueNow extends VenueReport {
  name: string
  hour: readonly VenueMinuteReport[]
}

/** A venue's own minutes before a time. */
export interface VenueHistory {
  venue: string
  minutes: Bar[]
}

/**
 * A source of prices. The leader polls it before each frame; a feed that receives pushes (a venue's socket) keeps the
 * newest quote of each symbol until then. Never polled on nodes that don't lead.
 */
export interface Feed {
  kind: PriceSource
  /** Returns why this feed will never have the symbol, as text for the trader; undefined if it has it. */
  missing(instrument: Instrument): string | undefined
  /** Returns when the symbol's market reopens; undefined while it is open. Without this method, it always is. */
  reopens?(instrument: Instrument, now: Ms): Ms | undefined
  /** Delivers everything received up to `now`. */
  collect(now: Ms, sink: QuoteSink): void
  /** Returns what people should know about the source of prices, as text; undefined if there is nothing to say. */
  note?(): string | undefined
  /** Live feeds: returns how many sources agreed on a symbol's newest price; undefined without a price. */
  sources?(symbol: string): number | undefined
  /**
   * Live feeds: learns how far prices move in the shortest duration of a trade, by slot, in units of their last digit.
   */
  measureMovesBy?(typicalMove: (slot: number) => number | undefined): void
  /**
   * Live feeds: returns how many sources have made a symbol's price at its depth, steadily; at most two where orders within
   * their spreads could move it too far.
   */
  deepSources?(symbol: string): number | undefined
  /** Live feeds: returns how a symbol's price was last made, and what its venues said. */
  report?(instrument: Instrument, now: Ms): SymbolReport | undefined
  /** Live feeds: returns a venue's name for people. */
  venueName?(venue: string): string | undefined
  /** Live feeds: returns how each venue is doing, and did in each minute of the last hour. */
  venues?(now: Ms): VenueNow[]
  /** Live feeds: takes exactly these venues out of all prices. */
  setVenuesOut?(venues: readonly string[]): void
  /** Live feeds: returns how many symbols would lose their price without these venues. */
  symbolsLostWithout?(venues: readonly string[]): number
  /** Returns the symbols whose price is made from this venue's markets, or would be if it weren't out. */
  symbolsOfVenue?(venue: string): string[]
  /** Returns the price that an instrument would have now if it were added; without it, that can't be known. */
  preview?(wanted: Wanted & { scale: number }, now: Ms): Promise<PricePreview>
  /** Instruments were added or changed. */
  instrumentsChanged?(): void
  /** Live feeds: returns a venue's own minutes of [from, until); undefined if they can't be had now. */
  history?(instrument: Instrument, from: Ms, until: Ms): Promise<VenueHistory | undefined>
  stop(): Promise<void>
}

/** A kind of source as stored on the tape: 0 live, 1 replay, 2 simulation. */
export const kindOf = (source: PriceSource): number => SOURCES.indexOf(source)
