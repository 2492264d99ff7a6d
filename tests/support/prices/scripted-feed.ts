import type { PriceSource } from '#contract/prices/prices.ts'
import type { Ms } from '#kernel/time.ts'
import type { Feed, Quote } from '#server/prices/feeds/feed.ts'

/** A feed that a test pushes into by hand. Its quotes go through the gate like a venue's messages. */
export interface ScriptedFeed extends Feed {
  /** `price`: decimal text. `sourceMs` must not lie after the frame's time. */
  quote(symbol: string, price: string, sourceMs: Ms): void
}

export function scriptedFeed(kind: PriceSource = 'live', missing: Record<string, string> = {}): ScriptedFeed {
  let waiting: Quote[] = []
  return {
    kind,
    missing: ({ symbol }) => missing[symbol],
    quote(symbol, uncheckedPrice, sourceMs) {
      waiting.push({ symbol, uncheckedPrice, venueMs: undefined, receivedMs: sourceMs })
    },
    collect(_now, sink) {
      for (const quote of waiting) sink.quote(quote)
      waiting = []
    },
    stop: async () => undefined,
  }
}
