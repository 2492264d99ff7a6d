import { draws } from '../random.ts'
import { binance } from './binance.ts'
import { bitstamp } from './bitstamp.ts'
import { coinbase } from './coinbase.ts'
import { kraken } from './kraken.ts'
import { type FakeExchange, startExchange } from './server.ts'

const PROTOCOLS = { binance, kraken, coinbase, bitstamp } as const
type ExchangeId = keyof typeof PROTOCOLS

interface QuotingExchange extends FakeExchange {
  id: ExchangeId
  /** Multiplies the true price by this factor from now on, as a lying exchange would. */
  lie(factor: number): void
}

export interface QuotingExchanges {
  all: readonly QuotingExchange[]
  byId: Readonly<Record<ExchangeId, QuotingExchange>>
  /** The setting that makes the server connect to them. */
  VENUE_ADDRESSES: string
  /** Sets a market's true price. */
  price(market: string, price: number): void
  stop(): Promise<void>
}

/** Starts fakes of the four default exchanges. They send the same prices, with slight noise, several times a second. */
export async function startExchanges(
  prices: Record<string, number>,
  { everyMs = 200, refusing = false, trades = true }: { everyMs?: number; refusing?: boolean; trades?: boolean } = {},
): Promise<QuotingExchanges> {
  const truth = new Map(Object.entries(prices))
  const all = await Promise.all(
    (Object.keys(PROTOCOLS) as ExchangeId[]).map(async (id): Promise<QuotingExchange & { factor(): number }> => {
      const exchange = await startExchange(PROTOCOLS[id], { markets: [...truth.keys()] })
      exchange.refuse(refusing)
      let factor = 1
      return Object.assign(exchange, {
        id,
        lie: (by: number) => {
          factor = by
        },
        factor: () => factor,
      })
    }),
  )
  const { below } = draws(1)
  const pulse = setInterval(() => {
    for (const exchange of all)
      for (const [market, price] of truth) {
        const noise = 1 + (below(3) - 1) / 100_000
        const text = (by: number) => (price * exchange.factor() * noise * by).toPrecision(9)
        exchange.push(market, { bid: text(0.99999), ask: text(1.00001) })
        // All send trades too, except Kraken, whose channel has only the best bid and ask.
        if (trades && exchange.id !== 'kraken') exchange.push(market, text(1))
      }
  }, everyMs)
  return {
    all,
    byId: Object.fromEntries(all.map((exchange) => [exchange.id, exchange])) as unknown as Record<
      ExchangeId,
      QuotingExchange
    >,
    VENUE_ADDRESSES: all.map(({ id, address }) => `${id}=${address}`).join(','),
    price: (market, price) => void truth.set(market, price),
    async stop() {
      clearInterval(pulse)
      await Promise.all(all.map((exchange) => exchange.stop()))
    },
  }
}
