import { type PriceSource, SOURCES } from '#contract/prices.ts'
import type { Ms } from '#kernel/time.ts'
import type { Instrument } from './instruments.ts'

/** A message of a venue, as far as the engine cares. Nothing in it is believed before the gate has seen it. */
export interface Quote {
  symbol: string
  /** Decimal text, exactly as the venue wrote it. */
  uncheckedPrice: string
  /** The venue's own time with its estimated skew taken off; undefined where its message carries none. */
  exchangeMs: Ms | undefined
  /** When it arrived, in tape time. */
  receivedMs: Ms
}

/** Where a feed puts what it has. Implemented by the gate, which refuses what is not fit for the tape. */
export interface QuoteSink {
  quote(quote: Quote): void
  /** A price that is a whole number at the instrument's scale already (replay, simulation). */
  tick(slot: number, units: number, sourceMs: Ms): void
  /** What the price is at that time, news or not: news where it differs from the newest tick, else proof of life. */
  state(slot: number, units: number, sourceMs: Ms): void
  /** Proof that the source lived at that time and would have told of news: the last price may be repeated for it. */
  alive(slot: number, sourceMs: Ms): void
}

/**
 * Where prices come from. The leader asks it before each frame; a feed that is pushed to (a venue's socket) keeps the
 * newest of each symbol until then. On nodes that do not lead it is never asked.
 */
export interface Feed {
  kind: PriceSource
  /** Why this feed will never have the symbol, in words for the trader; undefined where it has it. */
  missing(instrument: Instrument): string | undefined
  /** Hands over what has come up to `now`. */
  collect(now: Ms, sink: QuoteSink): void
  stop(): Promise<void>
}

/** How a kind of source stands on the tape: 0 live, 1 replay, 2 simulation. */
export const kindOf = (source: PriceSource): number => SOURCES.indexOf(source)
