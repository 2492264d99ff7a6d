/**
 * The cost of live prices: `node lab/bench/prices/index.ts [rounds]`.
 *
 * 79 symbols from four venues at 50 quotes a second each, for one second per round. First ccxt parses the messages as
 * they come from a socket; then our part turns its output into frames: checks, index, gate, body, hash, memory with
 * candles, event. Measures the CPU of both, alternating in the same run. Goal: our part costs at most a tenth of
 * ccxt's.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createLog } from '#server/platform/process/log.ts'
import { liveFeed } from '#server/prices/feeds/live-feed.ts'
import { instrumentsFrom } from '#server/prices/instruments/instruments.ts'
import { frameEvent } from '#server/prices/tape/frame-event.ts'
import { type Entry, encodeBody, frameHash } from '#server/prices/tape/frames/frame.ts'
import { createGate } from '#server/prices/tape/gate.ts'
import { createMemory } from '#server/prices/tape/memory/memory.ts'
import { openStream } from '#server/venues/ccxt/ccxt-stream.ts'
import { type CcxtClient, loadCcxt } from '#server/venues/ccxt/load-ccxt.ts'
import type { VenueQuote } from '#server/venues/venue.ts'
import { VENUES } from '#server/venues/venue-table.ts'
import { binance } from '#tests/support/exchanges/binance.ts'
import { bitstamp } from '#tests/support/exchanges/bitstamp.ts'
import { coinbase } from '#tests/support/exchanges/coinbase.ts'
import { kraken } from '#tests/support/exchanges/kraken.ts'
import { startExchange } from '#tests/support/exchanges/server.ts'
import { instrument } from '#tests/support/prices/instruments.ts'
import { testVenue } from '#tests/support/prices/venues.ts'
import { draws } from '#tests/support/random.ts'

const ROUNDS = Number(process.argv[2] ?? 10)
const PER_SECOND = 50
/** Three levels of a book reach the depth that prices are taken at. */
const LEVEL_VALUE = 400
const FRAME_MS = 250
const PROTOCOLS = { binance, kraken, coinbase, bitstamp }
type Id = keyof typeof PROTOCOLS

const { normal, below } = draws(1)
const bases = 'BCH BTC EOS ETC ETH LTC MKR ADA SOL SHIB TRX DOT XLM XRP ZEC ZRX'.split(' ')
const pairs = bases.flatMap((base) =>
  ['BTC', 'USDT', 'EUR', 'GBP', 'USD'].filter((quote) => quote !== base).map((quote) => ({ base, quote })),
)
const instruments = instrumentsFrom(
  pairs.map(({ base, quote }, i) => instrument({ id: i + 1, symbol: base + quote, base, quote, scale: 4 })),
)
const markets = pairs.map(({ base, quote }) => `${base}/${quote}`)

let now = 1_790_000_000_000
const clock = { now: () => now, agrees: () => true }

/** A report of a venue's adapter, kept for replay: a quote or a heartbeat. */
interface Report {
  venue: string
  quote: VenueQuote | undefined
  venueMs: number | undefined
  receivedMs: number
}
let reports: Report[] = []

const feedVenues = (Object.keys(PROTOCOLS) as Id[]).map((id) => testVenue(id, ...markets))
const feed = liveFeed({ instruments, venues: feedVenues, log: createLog('silent') })
await feed.readLists()
const memory = createMemory(instruments)
const gate = createGate(instruments, memory.newest)
const to = feed.index.listener

interface Connected {
  id: Id
  client: CcxtClient
  message(market: string, price: number): string
  stop(): Promise<void>
}

async function connect(id: Id): Promise<Connected> {
  const exchange = await startExchange(PROTOCOLS[id], { markets, levelValue: LEVEL_VALUE })
  const facts = VENUES[id]!
  const loaded = await loadCcxt(id, facts.options ?? {}, exchange.address)
  const own = loaded.create()
  await own.loadMarkets()
  const stream = openStream(loaded, own, facts, { markets, chunk: 100, silenceMs: 600_000, stableMs: 600_000 }, clock, {
    connected: () => to.connected(id, now),
    quote: (quote) => void reports.push({ venue: id, quote, venueMs: undefined, receivedMs: now }),
    alive: (venueMs, receivedMs) => void reports.push({ venue: id, quote: undefined, venueMs, receivedMs }),
    unreadable: () => console.error(`${id} sent something unreadable`),
    refused: (why) => console.error(`${id} refused: ${why}`),
    lost: (why) => console.error(`${id} lost: ${why}`),
  })
  while (
    (exchange.sessions[0]?.markets.size ?? 0) < markets.length ||
    (id !== 'kraken' && exchange.sessions[0]!.books.size < markets.length)
  )
    await sleep(20)
  let ids = 1
  const book = { markets, candles: [], halted: [], levelValue: LEVEL_VALUE, now: () => now, nextId: () => ids++ }
  return {
    id,
    client: Object.values(own.clients)[0]!,
    message(market, price) {
      const madeMs = now - 20 - below(20)
      const session = exchange.sessions[0]!
      // Order books are parsed by our adapter, so they would not measure ccxt.
      if (VENUES[id]!.books) return PROTOCOLS[id].price(market, price.toFixed(4), madeMs, session, book)!
      const best = { bid: (price * 0.9999).toFixed(4), ask: (price * 1.0001).toFixed(4) }
      return PROTOCOLS[id].price(market, best, madeMs, session, book)!
    },
    async stop() {
      stream.close()
      await exchange.stop()
    },
  }
}

const venues = await Promise.all((Object.keys(PROTOCOLS) as Id[]).map(connect))
feed.collect(now, gate)

const levels = new Map(markets.map((market) => [market, 50 + below(50_000) / 10]))
interface Sent {
  at: number
  client: CcxtClient
  text: string
}

/** A second of messages, in the order of their times. */
function second(): Sent[] {
  const sent: Sent[] = []
  for (let i = 0; i < PER_SECOND; i++) {
    now += 1_000 / PER_SECOND
    for (const market of markets) {
      const level = levels.get(market)! * (1 + normal() * 0.00005)
      levels.set(market, level)
      for (const { client, message } of venues) sent.push({ at: now, client, text: message(market, level) })
    }
  }
  return sent
}

let frames = 0
let ticks = 0
function frame(): void {
  const head = memory.head()
  gate.at(now)
  feed.collect(now, gate)
  const entries = gate
    .candidates()
    .map(({ slot, units, sourceMs }): Entry => {
      const { symbol, scale } = instruments.list[slot]!
      return { symbol, kind: 0, scale, seq: memory.newest.seq[slot]! + 1, sourceMs, units }
    })
    .sort((a, b) => (a.symbol < b.symbol ? -1 : 1))
  const body = encodeBody(now, entries)
  const made = { n: head.n + 1, t: now, prev: head.hash, hash: frameHash(head.hash, head.n + 1, now, body), body }
  memory.apply(made, entries)
  gate.clear()
  frameEvent(instruments, made, entries)
  frames++
  ticks += entries.length
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Returns the CPU in milliseconds. */
function cost(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/**
 * Alternates the two parts frame by frame: after a whole second, ccxt's output would no longer be in the CPU's cache.
 */
function round(): { parsed: number; ours: number; messages: number } {
  const sent = second()
  const end = now
  let [parsed, ours, next] = [0, 0, 0]
  // Neither part should pay for the garbage of earlier rounds.
  collectGarbage()
  for (let due = end - 1_000 + FRAME_MS; due <= end; due += FRAME_MS) {
    reports = []
    parsed += cost(() => {
      for (; next < sent.length && sent[next]!.at <= due; next++) {
        now = sent[next]!.at
        sent[next]!.client.onMessage({ data: sent[next]!.text })
      }
    })
    ours += cost(() => {
      for (const { venue, quote, venueMs, receivedMs } of reports) {
        now = receivedMs
        if (quote) to.quote(venue, quote)
        else to.alive(venue, venueMs, receivedMs)
      }
      now = due
      frame()
    })
  }
  return { parsed, ours, messages: sent.length }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!
round()
round()
;[frames, ticks] = [0, 0]
const rounds = Array.from({ length: ROUNDS }, round)
const messages = rounds[0]!.messages
const parsed = median(rounds.map((one) => one.parsed))
const ours = median(rounds.map((one) => one.ours))
const ratio = median(rounds.map((one) => one.ours / one.parsed))
const rejected = feed.index
  .venues()
  .values()
  .flatMap(({ dropped }) => [...dropped])
  .toArray()
console.log(`${markets.length} symbols, ${venues.length} venues, ${messages} messages a second, ${ROUNDS} rounds`)
console.log(
  `frames ${(frames / ROUNDS).toFixed(1)} a second with ${(ticks / frames).toFixed(1)} ticks; dropped ${JSON.stringify(rejected)}`,
)
console.log(
  `ccxt reads them   ${parsed.toFixed(0)} ms of CPU a second (${((parsed * 1_000) / messages).toFixed(1)} us a message)`,
)
console.log(
  `our part          ${ours.toFixed(0)} ms of CPU a second (${((ours * 1_000) / messages).toFixed(1)} us a message)`,
)
console.log(`our part / ccxt   ${ratio.toFixed(3)} (median of ratios; goal: at most 0.1)`)
await Promise.all(venues.map((venue) => venue.stop()))
