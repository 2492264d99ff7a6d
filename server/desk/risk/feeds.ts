import type { DeskFeeds } from '#contract/desk/markets/feeds.ts'
import { type PriceSource, SOURCES } from '#contract/prices/prices.ts'
import { must } from '#kernel/must.ts'
import { formatPrice } from '#kernel/price.ts'
import { toIso } from '#kernel/time.ts'
import type { DeskDeps } from '../deps.ts'

/** Returns feed health: the source and age of each price. */
export async function feeds({ prices, clock }: Pick<DeskDeps, 'prices' | 'clock'>): Promise<Omit<DeskFeeds, 'venues'>> {
  const { tape, instruments } = prices
  const { n, t } = tape.head()
  const note = prices.note()
  const { refused } = await prices.reports()
  const now = Math.max(clock.now(), t)
  return {
    source: sourceOf(prices),
    ...(note === undefined ? {} : { note }),
    health: prices.health(),
    clock_agrees: clock.agrees(),
    frame: { n, time: toIso(t) },
    refused: refused as Record<string, number>,
    symbols: instruments.current().map(({ symbol, tradingType, scale, staleAfterMs }) => {
      const newest = tape.latest(symbol)
      // A price of another kind isn't shown.
      const tick = newest?.kind === tape.kindNow() ? newest : undefined
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
export const sourceOf = ({ tape }: DeskDeps['prices']): PriceSource => must(SOURCES[tape.kindNow()])
