import type { TestContext } from 'vitest'
import { createLog } from '#server/platform/process/log.ts'
import type { VenueOptions } from '#server/venues/ccxt/ccxt-venue.ts'
import { openVenue } from '#server/venues/index.ts'
import { binance } from './binance.ts'
import { bitstamp } from './bitstamp.ts'
import { bybit } from './bybit.ts'
import { coinbase } from './coinbase.ts'
import { kraken } from './kraken.ts'
import { recordingListener } from './listener.ts'
import { okx } from './okx.ts'
import { pyth } from './pyth.ts'
import { type Protocol, startExchange } from './server.ts'

const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  binance,
  binanceus: binance,
  kraken,
  coinbase,
  bitstamp,
  okx,
  bybit,
  pyth,
}

/** Exchanges with a separate channel for order books. */
const WITH_BOOKS = ['binance', 'coinbase', 'bitstamp', 'bybit']

/** Starts a fake exchange and a venue connected to it. Both stop at the end of the test. */
export async function startVenue(
  { expect, onTestFinished }: TestContext,
  id: string,
  markets: readonly string[],
  options: { timing?: VenueOptions['timing']; heartbeatMs?: number } = {},
) {
  const exchange = await startExchange(PROTOCOLS[id]!, { markets, heartbeatMs: options.heartbeatMs })
  const clock = { now: () => Date.now(), agrees: () => true }
  const { timing } = options
  const venue = openVenue(id, { clock, log: createLog('silent'), address: exchange.address, timing })
  const received = recordingListener()
  onTestFinished(async () => {
    await venue.stop()
    await exchange.stop()
  })
  /** Waits until this many markets are subscribed to, over all connections. */
  async function subscribed(count: number): Promise<void> {
    const sum = (of: 'markets' | 'books') => exchange.sessions.reduce((total, session) => total + session[of].size, 0)
    await expect.poll(() => sum('markets')).toBe(count)
    if (WITH_BOOKS.includes(id)) await expect.poll(() => sum('books')).toBe(count)
  }
  return {
    exchange,
    venue,
    received,
    subscribed,
    /** Watches the markets, and resolves once the exchange has the subscriptions. */
    async watch(...watched: string[]) {
      venue.watch(watched, received.listener)
      await subscribed(watched.length)
    },
  }
}
