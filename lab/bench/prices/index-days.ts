/**
 * Runs the index over recorded days that more than one source covers: `node lab/bench/prices/index-days.ts`, with recorded market
 * data in MARKET_DATA. Writes docs/index-on-recorded-days.md.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { createPriceIndex, DEFAULT_TERMS, isPrice, planListing } from '#server/venues/index.ts'
import type { VenueQuote } from '#server/venues/venue.ts'
import { MARKET_DATA } from '#tests/support/prices/market-data.ts'

const MINUTE_MS = 60_000
type Said = VenueQuote['unchecked']
/** A source's last quote in each step, by the step's start. */
type Source = Map<number, Said>

interface Day {
  day: string
  symbol: string
  stepMs: number
  sources: Record<string, Source>
}

const lines = (file: string): string[] => gunzipSync(readFileSync(file)).toString().split('\n')

function bars(day: string, venue: string, symbol: string, kind: 'trade' | 'quote'): Source | undefined {
  const file = join(MARKET_DATA, 'lean', `${day}_${venue}_${symbol}_1m_${kind}.csv.gz`)
  if (!existsSync(file)) return undefined
  const source: Source = new Map()
  for (const line of lines(file).slice(1)) {
    const cells = line.split(',')
    if (cells.length < 6) continue
    source.set(Number(cells[0]), kind === 'trade' ? { price: cells[4]! } : { bid: cells[4]!, ask: cells[9]! })
  }
  return source
}

const middleOf = (said: Said) => ('price' in said ? Number(said.price) : (Number(said.bid) + Number(said.ask)) / 2)

/** Divides one pair by another, in the minutes that both have. */
function divided(base: Source, quote: Source): Source {
  return new Map(
    [...base].flatMap(([at, said]) => {
      const by = quote.get(at)
      return by ? [[at, { price: (middleOf(said) / middleOf(by)).toFixed(8) }] as const] : []
    }),
  )
}

/** Returns a source that multiplies an honest one by a factor for each step. */
const lying = (honest: Source, factor: (step: number) => number): Source =>
  new Map([...honest].map(([at, said], step) => [at, { price: (middleOf(said) * factor(step)).toFixed(8) }]))

function binance(symbol: string): Record<string, Source> {
  const trades: Source = new Map()
  const book: Source = new Map()
  for (const line of lines(join(MARKET_DATA, 'binance-ws-2024-08-08', 'frames.ndjson.gz'))) {
    if (!line.includes(`"s":"${symbol}"`)) continue
    const { rx_ns, frame } = JSON.parse(line) as { rx_ns: string; frame: { data: Record<string, string> } }
    const second = Math.floor(Number(BigInt(rx_ns) / 1_000_000n) / 1_000) * 1_000
    const { e, p, a, b } = frame.data
    if (e === 'trade') trades.set(second, { price: p! })
    else book.set(second, { bid: b!, ask: a! })
  }
  return { 'Binance trades': trades, 'Binance book': book }
}

const days: Day[] = []
for (const day of ['2018-04-04', '2018-04-05']) {
  for (const symbol of ['BTCUSD', 'ETHUSD', 'LTCUSD', 'BTCEUR']) {
    const trades = bars(day, 'coinbase', symbol, 'trade')
    const book = bars(day, 'coinbase', symbol, 'quote')
    const euros = bars(day, 'oanda', 'EURUSD', 'quote')
    const dollars = bars(day, 'coinbase', 'BTCUSD', 'quote')
    const sources: Record<string, Source> = { 'Coinbase trades': trades!, 'Coinbase book': book! }
    if (symbol === 'BTCEUR' && euros) sources['Coinbase BTC/USD by OANDA EUR/USD'] = divided(dollars!, euros)
    days.push({ day, symbol, stepMs: MINUTE_MS, sources })
  }
}
for (const symbol of ['BTCUSDT', 'ETHUSDT']) {
  days.push({ day: '2024-08-08', symbol, stepMs: 1_000, sources: binance(symbol) })
}
const threefold = days.find(({ sources }) => Object.keys(sources).length === 3)!
const honest = threefold.sources['Coinbase book']!
const liars: Record<string, (step: number) => number> = {
  'liar, price ten times off': () => 10,
  'liar, drifts by 0.1 % each minute': (step) => 1.001 ** step,
  'liar, as far off as the index accepts': () => 1.0039,
  'liar for an hour, then correct': (step) => (step < 60 ? 1.05 : 1),
}
for (const [name, factor] of Object.entries(liars)) {
  days.push({ ...threefold, sources: { ...threefold.sources, [name]: lying(honest, factor) } })
}

interface Found {
  steps: number
  published: number
  why: Record<string, number>
  /** By source: steps with a quote, steps in which it was left out of the median, and its largest distance from it. */
  sources: Record<string, { said: number; dropped: number; furthestBps: number }>
  /** The price's largest distance from the range of the honest sources. */
  outsideBps: number
}

function run({ sources, stepMs }: Day): Found {
  const names = Object.keys(sources)
  const index = createPriceIndex(names)
  const market = { name: 'A/B', base: 'A', quote: 'B' }
  index.use(
    planListing(
      [{ symbol: 'AB', base: 'A', quote: 'B', terms: DEFAULT_TERMS }],
      names.map((id) => ({ id, name: id, markets: [market] })),
    ),
  )
  const starts = Object.values(sources).flatMap((source) => [...source.keys()])
  const [first, last] = [Math.min(...starts), Math.max(...starts)]
  for (const id of names) index.listener.connected(id, first)
  const found: Found = { steps: 0, published: 0, why: {}, sources: {}, outsideBps: 0 }
  for (const id of names) found.sources[id] = { said: 0, dropped: 0, furthestBps: 0 }
  for (let at = first; at <= last; at += stepMs) {
    const now = at + stepMs
    for (const id of names) {
      const unchecked = sources[id]!.get(at)
      if (unchecked) index.listener.quote(id, { market: 'A/B', unchecked, venueMs: now - 500, receivedMs: now - 450 })
    }
    index.evaluate(now)
    found.steps++
    const result = index.priceOf('AB')
    if (!isPrice(result)) {
      found.why[result!] = (found.why[result!] ?? 0) + 1
      continue
    }
    found.published++
    const price = Number(result.price) / 1e20
    const believable: number[] = []
    for (const { venue, standing } of index.pairs().get('A/B')!.members) {
      const said = sources[venue]!.get(at)
      if (!said) continue
      const of = found.sources[venue]!
      of.said++
      if (standing !== 'kept') of.dropped++
      if (!venue.startsWith('liar')) {
        believable.push(middleOf(said))
        of.furthestBps = Math.max(of.furthestBps, Math.abs(middleOf(said) / price - 1) * 10_000)
      }
    }
    const outside = Math.max(1 - price / Math.min(...believable), price / Math.max(...believable) - 1)
    found.outsideBps = Math.max(found.outsideBps, outside * 10_000)
  }
  return found
}

const table = [
  "| day | symbol | steps | published | not published: too few sources, sources disagree | sources: largest distance, quotes dropped | outside the honest sources' range |",
  '|---|---|---:|---:|---:|---|---:|',
]
for (const day of days) {
  const found = run(day)
  const step = day.stepMs === MINUTE_MS ? 'minutes' : 'seconds'
  const sources = Object.entries(found.sources).map(([name, { dropped, furthestBps }]) =>
    name.startsWith('liar') ? `${name}: ${dropped} dropped` : `${name}: ${furthestBps.toFixed(1)} bps, ${dropped}`,
  )
  const whys = `${found.why.sources ?? 0}, ${found.why.disagree ?? 0}`
  const cells = [day.day, day.symbol, `${found.steps} ${step}`, found.published, whys, sources.join('; ')]
  table.push(`| ${cells.join(' | ')} | ${found.outsideBps.toFixed(2)} bps |`)
  console.log(table.at(-1))
}

const page = `# The index on recorded days

Recorded days for which we have more than one source, run through the index with its default terms (two sources, 0.4 % deviation; the recordings of these days have no depth). Generated by \`node lab/bench/prices/index-days.ts\`; don't edit.

In each step (a minute or a second), every source reports its last price. A price is published if the sources agree. Distances are measured from the published price.

${table.join('\n')}

## Limits of this table

- Our recordings have no day on which two exchanges quote the same pair. The sources are therefore a venue's trades and its order book, which aren't independent, and on one day a cross rate that uses another venue's currency pair. The liars are simulated.
- In a minute without trades, a source has no price. Most of the steps with too few sources are such minutes, or fall into the recording's gap after 16:47 UTC on 2018-04-04.
- A liar that stays within the largest deviation is kept. While honest sources are the majority, the price stays within their range. If only one honest source has a price, such a liar moves the published price by half of its error, 0.2 % here. A third source prevents this.
`
writeFileSync(new URL('../../../docs/index-on-recorded-days.md', import.meta.url), page)
