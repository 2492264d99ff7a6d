import * as z from 'zod/mini'
import { must } from '#kernel/must.ts'
import { SECOND_MS } from '#kernel/time.ts'
import type { Clock } from '../platform/process/clock.ts'
import type { VenueOptions } from './ccxt/ccxt-venue.ts'
import { keepConnected, type Stream, type StreamListener, TIMING } from './keep-connected.ts'
import type { Market, Venue, VenueQuote } from './venue.ts'
import { watchSilence } from './watch-silence.ts'

const ADDRESS = 'https://hermes.pyth.network'
const REQUEST_TIMEOUT_MS = 10_000
const LONGEST_MESSAGE = 1_000_000

/** Kinds of assets, best first: a share may have the same name as a coin. */
const KINDS = ['Crypto', 'FX', 'Metal', 'Equity.US']

const Feeds = z.array(z.object({ id: z.string(), attributes: z.object({ symbol: z.string() }) }))

const Update = z.object({ parsed: z.array(z.unknown()) })

const digits = z.string().check(z.regex(/^-?\d{1,30}$/))
const FeedPrice = z.object({
  id: z.string(),
  price: z.object({
    price: digits,
    conf: digits,
    expo: z.int().check(z.gte(-30), z.lte(30)),
    publish_time: z.int(),
  }),
})
type FeedPrice = z.infer<typeof FeedPrice>

/**
 * Creates the adapter for Pyth's Hermes, a stream of prices of coins, currencies, metals and shares that Pyth composes
 * from its publishers. It demands a key and has no minutes of the past.
 */
export function pythVenue({ clock, address = ADDRESS, key, timing: given }: VenueOptions): Venue {
  const timing = { ...TIMING, ...given }
  const base = address.endsWith('/') ? address : `${address}/`
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  let feeds: ReadonlyMap<string, string> | undefined

  const connection = keepConnected('pyth', clock, timing, async (markets, listener) => {
    feeds ??= await readFeeds()
    const marketOf = new Map(
      markets.flatMap((market) => (feeds?.has(market) ? [[must(feeds.get(market)), market]] : [])),
    )
    if (marketOf.size === 0) return undefined
    const url = new URL('v2/updates/price/stream?parsed=true&ignore_invalid_price_ids=true', base)
    for (const id of marketOf.keys()) url.searchParams.append('ids[]', id)
    return openEvents(url, headers, marketOf, timing.silenceMs, clock, listener)
  })

  async function readFeeds(): Promise<Map<string, string>> {
    const url = new URL('v2/price_feeds', base)
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), redirect: 'error' })
    if (!response.ok) throw new Error(`Pyth answered ${response.status}`)
    const found = new Map<string, string>()
    const listed = Feeds.parse(await response.json())
    for (const kind of KINDS)
      for (const { id, attributes } of listed) {
        const market = attributes.symbol.startsWith(`${kind}.`) ? attributes.symbol.slice(kind.length + 1) : ''
        if (/^[A-Z0-9]+\/[A-Z0-9]+$/.test(market) && !found.has(market)) found.set(market, id)
      }
    return found
  }

  return {
    id: 'pyth',
    name: 'Pyth',
    async markets() {
      feeds = await readFeeds()
      return [...feeds.keys()].map((name): Market => {
        const [base = '', quote = ''] = name.split('/')
        return { name, base, quote }
      })
    },
    watch: connection.watch,
    minutes: async () => [],
    async stop() {
      connection.stop()
    },
  }
}

/** Reads server-sent events until the first failure. */
function openEvents(
  url: URL,
  headers: Record<string, string>,
  marketOf: ReadonlyMap<string, string>,
  silenceMs: number,
  clock: Clock,
  listener: StreamListener,
): Stream {
  const abort = new AbortController()
  let heardAt = performance.now()
  const endWatch = watchSilence(
    silenceMs / 4,
    () => heardAt,
    (silentMs) => silentMs >= silenceMs && lose(`no message for ${Math.round(silentMs)} ms`),
  )

  function close(): void {
    endWatch()
    abort.abort()
  }

  function lose(why: string): void {
    if (abort.signal.aborted) return
    close()
    listener.lost(why)
  }

  function read(text: string): void {
    const receivedMs = clock.now()
    const update = Update.safeParse(jsonOf(text))
    if (!update.success) {
      listener.unreadable(receivedMs)
      return
    }
    heardAt = performance.now()
    report(update.data.parsed, marketOf, receivedMs, listener)
  }

  async function run(): Promise<void> {
    const { EventSourceParserStream } = await import('eventsource-parser/stream')
    const response = await fetch(url, { headers, signal: abort.signal, redirect: 'error' })
    if (!response.ok || !response.body) throw new Error(`Pyth answered ${response.status}`)
    listener.connected()
    const events = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream({ maxBufferSize: LONGEST_MESSAGE }))
    for await (const { data } of events) {
      if (abort.signal.aborted) return
      read(data)
    }
    lose('closed by Pyth')
  }

  run().catch((error: unknown) => lose(error instanceof Error ? error.message : String(error)))
  return { close }
}

/** Reports the prices of an update. */
function report(
  prices: readonly unknown[],
  marketOf: ReadonlyMap<string, string>,
  receivedMs: number,
  listener: StreamListener,
): void {
  let newestMs: number | undefined
  for (const unchecked of prices) {
    const parsed = FeedPrice.safeParse(unchecked)
    if (!parsed.success) {
      listener.unreadable(receivedMs)
      continue
    }
    const { id, price } = parsed.data
    const market = marketOf.get(id)
    const venueMs = price.publish_time * SECOND_MS
    newestMs = Math.max(newestMs ?? venueMs, venueMs)
    if (market !== undefined) listener.quote({ market, unchecked: pricesOf(price), venueMs, receivedMs })
  }
  listener.alive(newestMs, receivedMs)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Pyth states how far the true price may be from its own, to either side. */
function pricesOf({ price, conf, expo }: FeedPrice['price']): VenueQuote['unchecked'] {
  const middle = BigInt(price)
  const interval = BigInt(conf)
  if (interval <= 0n) return { price: decimalText(middle, expo) }
  return { bid: decimalText(middle - interval, expo), ask: decimalText(middle + interval, expo) }
}

/** Writes `units` times ten to the power of `exponent`. */
function decimalText(units: bigint, exponent: number): string {
  if (exponent >= 0) return (units * 10n ** BigInt(exponent)).toString()
  const digits = (units < 0n ? -units : units).toString().padStart(1 - exponent, '0')
  return `${units < 0n ? '-' : ''}${digits.slice(0, exponent)}.${digits.slice(exponent)}`
}
