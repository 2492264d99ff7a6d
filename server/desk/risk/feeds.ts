import type { DeskFeeds } from '#contract/desk/feeds.ts'
import { type PriceSource, SOURCES } from '#contract/prices.ts'
import { formatPrice } from '#kernel/price.ts'
import { toIso } from '#kernel/time.ts'
import type { DeskDeps } from '../deps.ts'

/** Returns feed health: the source and age of each price. */
export function feeds({ prices, clock }: Pick<DeskDeps, 'prices' | 'clock'>): DeskFeeds {
  const { tape, instruments } = prices
  const { n, t } = tape.head()
  const now = Math.max(clock.now(), t)
  return {
    source: sourceOf(prices),
    health: prices.health(),
    clock_agrees: clock.agrees(),
    frame: { n, time: toIso(t) },
    refused: Object.fromEntries(prices.refused()),
    symbols: instruments.list.map(({ symbol, tradingType, scale, staleAfterMs }) => {
      const tick = tape.latest(symbol)
      const { status, reason } = tape.status(symbol)
      return {
        symbol,
        trading_type: tradingType,
        status,
        ...(reason === undefined ? {} : { reason }),
        ...(tick === undefined
          ? {}
          : {
              price: formatPrice(tick.price, scale),
              time: toIso(tick.sourceMs),
              age_ms: Math.max(0, Math.round(now - tick.sourceMs)),
            }),
        stale_after_ms: staleAfterMs,
      }
    }),
  }
}

/** Returns the source of current prices. */
export function sourceOf({ tape, instruments }: DeskDeps['prices']): PriceSource {
  const traded = instruments.list.find((one) => one.tradingType !== null)
  return SOURCES[traded === undefined ? 0 : tape.kind(traded.symbol)]!
}
