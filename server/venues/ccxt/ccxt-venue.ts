import type { Ms } from '#kernel/time.ts'
import type { Clock } from '../../platform/process/clock.ts'
import type { Log } from '../../platform/process/log.ts'
import { keepConnected, TIMING, type Timing } from '../keep-connected.ts'
import type { Venue, VenueMinute } from '../venue.ts'
import { VENUES } from '../venue-table.ts'
import { openStream } from './ccxt-stream.ts'
import { type ListedMarket, listMarkets } from './list-markets.ts'
import { type Ccxt, type CcxtExchange, loadCcxt } from './load-ccxt.ts'

export interface VenueOptions {
  clock: Clock
  log: Log
  /** Where every request and connection goes instead of to the venue itself: `http://127.0.0.1:PORT`. */
  address?: string | undefined
  /** The key of a venue that demands one. */
  key?: string | undefined
  timing?: Partial<VenueTiming> | undefined
}

interface VenueTiming extends Timing {
  /** After a rejected subscription the list of markets is read again, but not more often. */
  relistMs: number
}

const RELIST_MS = 60_000
const CHUNK = 100

/** Creates the adapter for any exchange of ccxt's WebSocket classes. ccxt is loaded with the first call that needs it. */
export function ccxtVenue(id: string, { clock, log, address, timing: given }: VenueOptions): Venue {
  const timing = { ...TIMING, relistMs: RELIST_MS, ...given }
  const facts = VENUES[id] ?? {}
  let loaded: Promise<Ccxt> | undefined
  let markets: ReadonlyMap<string, ListedMarket> | undefined
  /** Reads minutes. Making an exchange object takes 30 ms, so this one learns about markets as they are asked for. */
  let rest: Promise<CcxtExchange> | undefined
  let known: ReadonlySet<string> = new Set()
  let watched: readonly string[] = []
  let listedAt = Number.NEGATIVE_INFINITY
  let relisting = false
  let chunk = facts.chunk ?? CHUNK

  const ccxt = (): Promise<Ccxt> => (loaded ??= loadCcxt(id, facts.options ?? {}, address))

  const connection = keepConnected(id, clock, timing, async (wanted, listener) => {
    const listed = await list(false)
    const present = wanted.filter((market) => listed.has(market))
    if (present.length === 0) return undefined
    const exchange = await exchangeFor(present)
    return openStream(await ccxt(), exchange, facts, { ...timing, markets: present, chunk }, clock, {
      ...listener,
      refused: (why) => void refused(why, present),
    })
  })

  async function list(again: boolean): Promise<ReadonlyMap<string, ListedMarket>> {
    if (!again && markets) return markets
    const read = await listMarkets({ id, options: facts.options ?? {}, address, params: facts.listing })
    listedAt = performance.now()
    markets = new Map(read.map((market) => [market.symbol, market]))
    return markets
  }

  /** Creates an exchange object that knows some markets. Each connection has a separate one. */
  const exchangeFor = async (symbols: readonly string[]): Promise<CcxtExchange> =>
    (await ccxt()).createFor(symbols.flatMap((symbol) => markets?.get(symbol) ?? []))

  function restFor(market: string): Promise<CcxtExchange> {
    if (rest && known.has(market)) return rest
    known = new Set([...known, ...watched, market].filter(isListed))
    rest = exchangeFor([...known])
    return rest
  }

  const isListed = (market: string): boolean => markets?.has(market) ?? false

  /**
   * After a rejected subscription: leaves out what isn't listed any more. If everything is, an exchange may have
   * rejected all markets for one of them, so the next connection subscribes to fewer at a time.
   */
  async function refused(why: string, present: readonly string[]): Promise<void> {
    log.warn({ venue: id, why }, 'venue rejected a subscription')
    if (relisting) return
    relisting = true
    try {
      if (performance.now() - listedAt >= timing.relistMs) await list(true)
      if (!present.every(isListed)) connection.replace('the list of markets changed', 'now')
      else if (!facts.rejectsAlone && chunk > 1) {
        chunk = Math.ceil(Math.min(chunk, present.length) / 4)
        connection.replace(why, 'later')
      }
    } catch (error) {
      log.warn({ venue: id, why: String(error) }, 'venue did not list its markets')
    } finally {
      relisting = false
    }
  }

  return {
    id,
    name: facts.name ?? id,
    async markets() {
      const listed = await list(true)
      return [...listed.values()].map(({ symbol, base, quote }) => ({ name: symbol, base, quote }))
    },
    watch(wanted, listener) {
      watched = wanted
      connection.watch(wanted, listener)
    },
    async minutes(market: string, fromMs: Ms, limit: number) {
      await list(false)
      const exchange = await restFor(market)
      return (await exchange.fetchOHLCV(market, '1m', fromMs, limit)).slice(0, limit).flatMap(minuteOf)
    },
    async stop() {
      connection.stop()
    },
  }
}

function minuteOf([startMs, open, high, low, close]: unknown[]): VenueMinute[] {
  const prices = [open, high, low, close]
  if (typeof startMs !== 'number' || !prices.every((price) => typeof price === 'string')) return []
  return [[startMs, open, high, low, close] as VenueMinute]
}
