import type { VenueListener, VenueQuote } from '#server/venues/venue.ts'

/** Returns a listener that records a venue's reports. */
export function recordingListener() {
  const quotes: VenueQuote[] = []
  const events: string[] = []
  const state = { alive: 0, aliveMs: undefined as number | undefined, unreadable: 0 }
  const listener: VenueListener = {
    quote: (_, quote) => void quotes.push(quote),
    alive(_, venueMs) {
      state.alive++
      state.aliveMs = venueMs ?? state.aliveMs
    },
    unreadable: () => void state.unreadable++,
    connected: () => void events.push('connected'),
    disconnected: (_venue, _at, why) => void events.push(why),
  }
  /** Returns the prices of a market so far, with best bid and ask as `bid/ask`. */
  const prices = (market: string): string[] =>
    quotes
      .filter((quote) => quote.market === market)
      .map(({ unchecked }) => ('price' in unchecked ? unchecked.price : `${unchecked.bid}/${unchecked.ask}`))
  return Object.assign(state, { listener, quotes, events, prices })
}
