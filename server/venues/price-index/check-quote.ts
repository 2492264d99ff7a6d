import { floatOfShort } from '#kernel/price.ts'
import type { Ms } from '#kernel/time.ts'
import type { VenueQuote } from '../venue.ts'
import { type FinePrice, middle, parseFine } from './fine-price.ts'

/** Why a venue's message was rejected. */
export type Rejection =
  | 'unreadable'
  | 'unknown_market'
  | 'bad_price'
  | 'crossed'
  | 'bad_time'
  | 'too_old'
  | 'out_of_order'

/**
 * Errors that no working venue makes: enough of them put the venue into quarantine. The others happen at good venues
 * too (an old trade in a snapshot, two streams that overtake each other), so only the message is dropped.
 */
export const JUNK: ReadonlySet<Rejection> = new Set(['unreadable', 'bad_price', 'crossed', 'bad_time'])

/** Venues whose clock is further ahead are not believed at all. */
const BELIEVABLE_AHEAD_MS = 10_000
/** An older message says nothing about the current price. */
const OLDEST_NEWS_MS = 60_000

const BPS = 10_000n

export interface ReadQuote {
  price: FinePrice
  /** Absent for a trade. */
  sides: { bid: FinePrice; ask: FinePrice } | undefined
}

/** Checks everything about a quote that doesn't need another one. Returns why it is rejected, or undefined. */
export function checkQuote(quote: VenueQuote): Rejection | undefined {
  const wrongTime = checkTime(quote.venueMs, quote.receivedMs)
  if (wrongTime) return wrongTime
  if (isPlainlyGood(quote.unchecked)) return undefined
  const read = readQuote(quote.unchecked)
  return typeof read === 'string' ? read : undefined
}

/** Whether bid and ask are further apart than the limit allows. */
export const isWide = ({ bid, ask }: { bid: FinePrice; ask: FinePrice }, largestSpreadBps: number): boolean =>
  (ask - bid) * BPS > middle(bid, ask) * BigInt(largestSpreadBps)

/** Reads the exact prices of a quote. */
export function readQuote(unchecked: VenueQuote['unchecked']): ReadQuote | Rejection {
  if ('price' in unchecked) {
    const price = parseFine(unchecked.price)
    return price === undefined ? 'bad_price' : { price, sides: undefined }
  }
  const bid = parseFine(unchecked.bid)
  const ask = parseFine(unchecked.ask)
  if (bid === undefined || ask === undefined) return 'bad_price'
  return bid >= ask ? 'crossed' : { price: middle(bid, ask), sides: { bid, ask } }
}

/**
 * Whether a quote is good beyond doubt. Reading it exactly would cost more than everything else that is done with it, and
 * only the newest of a market counts, four times a second.
 */
function isPlainlyGood(unchecked: VenueQuote['unchecked']): boolean {
  if ('price' in unchecked) return isPlain(floatOfShort(unchecked.price))
  const bid = floatOfShort(unchecked.bid)
  const ask = floatOfShort(unchecked.ask)
  return isPlain(bid) && isPlain(ask) && bid < ask
}

const isPlain = (value: number | undefined): value is number => value !== undefined && value > 0 && value < 1e12

export function checkTime(venueMs: Ms | undefined, receivedMs: Ms): 'bad_time' | 'too_old' | undefined {
  if (venueMs === undefined) return undefined
  if (!(Number.isSafeInteger(venueMs) && venueMs > 0)) return 'bad_time'
  if (venueMs - receivedMs > BELIEVABLE_AHEAD_MS) return 'bad_time'
  return receivedMs - venueMs > OLDEST_NEWS_MS ? 'too_old' : undefined
}
