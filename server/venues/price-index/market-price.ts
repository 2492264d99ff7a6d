import { type Ms, SECOND_MS } from '#kernel/time.ts'
import type { Level } from '../venue.ts'
import { type MarketPrice, type NewestQuote, pricesOf, type WatchedMarket } from '../venue-state.ts'
import { priceAtDepth } from './at-depth.ts'
import { isWide } from './check-quote.ts'
import { distanceBps, type FinePrice, middle } from './fine-price.ts'

const THIN: MarketPrice = { price: undefined, isDeep: false, spreadBps: undefined, problem: 'thin' }

/**
 * Where a venue sends only the best bid and ask and a small order covers it, the last large enough one still counts behind
 * it, for this long.
 */
const COVERED_FOR_MS = 10 * SECOND_MS

/** Keeps the best bid and ask that alone were as large as the depth, of a venue that sends no others. */
export function keepCovered(market: WatchedMarket, { levels, receivedMs }: NewestQuote): void {
  if (!levels?.isTop || market.depth === undefined) return
  const [bid, ask] = [levels.bids[0], levels.asks[0]]
  if (bid && holds(bid, market.depth)) market.lastBid = { level: bid, receivedMs }
  if (ask && holds(ask, market.depth)) market.lastAsk = { level: ask, receivedMs }
}

/**
 * Returns the price of a market's newest quote. `depth` is in the market's quote currency; undefined if nobody knows what
 * that is worth, in which case best bid and ask count, as at a venue that gives no sizes.
 */
export function marketPrice(
  market: WatchedMarket,
  newest: NewestQuote,
  { depth, largestSpreadBps }: { depth: number | undefined; largestSpreadBps: number },
  now: Ms,
): MarketPrice {
  const { sides, price } = pricesOf(newest)
  if (!sides) return { price, isDeep: false, spreadBps: undefined, problem: undefined }
  const { levels } = newest
  if (!levels || depth === undefined) return { price, isDeep: false, ...spreadOf(sides, largestSpreadBps) }
  const known = newest.atDepth
  if (known?.depth === depth && known.largestSpreadBps === largestSpreadBps && !levels.isTop) return known.found
  const behind = levels.isTop
  const bids = behind ? covered(levels.bids, market.lastBid, depth, now) : levels.bids
  const asks = behind ? covered(levels.asks, market.lastAsk, depth, now) : levels.asks
  const bid = priceAtDepth(sides.bid, bids, depth)
  const ask = priceAtDepth(sides.ask, asks, depth)
  let found = THIN
  // Levels that are better than the best are no book.
  if (bid !== undefined && ask !== undefined && bid > 0n && bid <= sides.bid && ask >= sides.ask) {
    found = { price: middle(bid, ask), isDeep: true, ...spreadOf({ bid, ask }, largestSpreadBps) }
  }
  newest.atDepth = { depth, largestSpreadBps, found }
  return found
}

const spreadOf = (sides: { bid: FinePrice; ask: FinePrice }, largestSpreadBps: number) => ({
  spreadBps: distanceBps(sides.ask, sides.bid),
  problem: isWide(sides, largestSpreadBps) ? ('wide' as const) : undefined,
})

const holds = ([price, size]: Level, depth: number): boolean => Number(price) * size >= depth

/** Returns the best level and, if it's too small, the last large one behind it. */
function covered(side: readonly Level[], last: WatchedMarket['lastBid'], depth: number, now: Ms): readonly Level[] {
  const top = side[0]
  if (!top || holds(top, depth) || !last || now - last.receivedMs > COVERED_FOR_MS) return side
  return [top, [last.level[0], depth / Number(last.level[0])]]
}
