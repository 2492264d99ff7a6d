import { type PriceSource, SOURCES } from '#contract/prices.ts'
import type { Ms } from '#kernel/time.ts'
import type { Instrument } from './instruments.ts'

/** A venue's message, reduced to what the engine needs. Untrusted until the gate has checked it. */
export interface Quote {
  symbol: string
  /** Decimal text, exactly as the venue sent it. */
  uncheckedPrice: string
  /** The venue's own time, corrected for its estimated skew; undefined if its message carries none. */
  exchangeMs: Ms | undefined
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

/**
 * A source of prices. The leader polls it before each frame; a feed that receives pushes (a venue's socket) keeps the
 * newest quote of each symbol until then. Never polled on nodes that don't lead.
 */
export interface Feed {
  kind: PriceSource
  /** Returns why this feed will never have the symbol, as text for the trader; undefined if it has it. */
  missing(instrument: Instrument): string | undefined
  /** Delivers everything received up to `now`. */
  collect(now: Ms, sink: QuoteSink): void
  stop(): Promise<void>
}

/** A kind of source as stored on the tape: 0 live, 1 replay, 2 simulation. */
export const kindOf = (source: PriceSource): number => SOURCES.indexOf(source)
