import { planListing } from '#server/venues/listing.ts'
import { fineText } from '#server/venues/price-index/fine-price.ts'
import { createPriceIndex, isPrice } from '#server/venues/price-index/price-index.ts'
import { DEFAULT_TERMS, type IndexTerms } from '#server/venues/terms.ts'

export const START = 1_790_000_000_000
export const FRAME_MS = 250

/** Terms that let a test's prices be far apart, so that they are easy to read. */
export const LOOSE_TERMS: IndexTerms = { ...DEFAULT_TERMS, largestSpreadBps: 500, largestDeviationBps: 100 }

/** Opens an index of BTC/USD (and other pairs) over some venues, on a clock that the test advances frame by frame. */
export function scene(ids: string[], pairs = ['BTC/USD'], terms: IndexTerms = LOOSE_TERMS) {
  const index = createPriceIndex(ids)
  const markets = pairs.map((name) => ({ name, base: name.split('/')[0]!, quote: name.split('/')[1]! }))
  const wanted = markets.map(({ base, quote }) => ({ symbol: base + quote, base, quote, terms }))
  index.use(
    planListing(
      wanted,
      ids.map((id) => ({ id, name: id, markets })),
    ),
  )
  for (const id of ids) index.listener.connected(id, START)
  let now = START
  return {
    index,
    now: () => now,
    /** Sends a trade that has just arrived. */
    says(id: string, price: string | number, venueMs: number | undefined = now, market = 'BTC/USD') {
      const unchecked = { price: String(price) }
      index.listener.quote(id, { market, unchecked, venueMs, receivedMs: now })
    },
    frame() {
      index.evaluate(now)
      now += FRAME_MS
    },
    price(symbol = 'BTCUSD', scale = 2) {
      const found = index.priceOf(symbol)
      return isPrice(found) ? fineText(found.price, scale) : found
    },
    sourceMs: (symbol = 'BTCUSD') => (index.priceOf(symbol) as { sourceMs: number }).sourceMs,
    standing: (id: string, pair = 'BTC/USD') =>
      index
        .pairs()
        .get(pair)!
        .members.find(({ venue }) => venue === id)!.standing,
    dropped: (id: string) => Object.fromEntries(index.venues().get(id)!.dropped),
    /** Runs frames for a while, and calls `each` before each one to send the venues' messages. */
    run(ms: number, each: (now: number) => void, after?: () => void) {
      for (const until = now + ms; now < until; ) {
        each(now)
        index.evaluate(now)
        after?.()
        now += FRAME_MS
      }
    },
  }
}
