import { bestLevels } from '../price-index/at-depth.ts'

/** An order book of ccxt: levels of price and size, the best first. */
export interface CcxtBook {
  symbol: string
  timestamp: unknown
  bids: CcxtSide
  asks: CcxtSide
}

interface CcxtSide extends Array<[price: unknown, size: unknown]> {
  storeArray(level: [price: unknown, size: unknown]): void
}

/** A level without a possible price: from here on nobody knows what the book looks like. */
export class BadLevel extends Error {}

/**
 * Makes an order book work with prices as text. ccxt finds levels by number, and removes one whose size is the number 0.
 * A price that is none would be sorted to the top and stay there.
 */
export function keepText(book: CcxtBook): CcxtBook {
  for (const side of [book.bids, book.asks]) {
    const { storeArray } = side
    side.storeArray = ([price, size]) => {
      if (!(Number(price) > 0 && Number(size) >= 0)) throw new BadLevel(`a level has the price ${price}, size ${size}`)
      const level: [unknown, unknown] = [Number(price), Number(size)]
      storeArray.call(side, level)
      // If the level is new, this is its row: sorted by the number, read as text.
      level[0] = price
    }
  }
  return book
}

/** Returns a book's best levels as one item; none while a side is empty. */
export function bestOf({ symbol, timestamp, bids, asks }: CcxtBook) {
  if (!bids[0] || !asks[0]) return []
  const levels = { bids: bestLevels(bids), asks: bestLevels(asks), isTop: false }
  return [{ symbol, timestamp, bid: bids[0][0], ask: asks[0][0], levels }]
}
