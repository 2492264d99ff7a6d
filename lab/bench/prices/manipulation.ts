/**
 * What it costs to move the price that settles a trade, and what a bot earns that knows prices early, with single ticks and
 * with short averages at entry and exit: `node lab/bench/prices/manipulation.ts [trades] [hours]`, with recorded market data in
 * MARKET_DATA. Prints the tables of docs/decisions/0019-single-ticks-and-depth.md.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { DEFAULT_TERMS } from '#server/venues/index.ts'
import { type Made, play, publish, resample } from '#tests/support/prices/latency.ts'
import { lateFeed, oneVenueLeads } from '#tests/support/prices/latency-scenes.ts'
import {
  type Attack,
  mirrored,
  playAttacked,
  type Run,
  type SyntheticVenue,
} from '#tests/support/prices/manipulation.ts'
import { MARKET_DATA } from '#tests/support/prices/market-data.ts'

const TRADES = Number(process.argv[2] ?? 1_000)
const HOURS = Number(process.argv[3] ?? 3)
const START = 1_790_000_000_000
const DURATION_MS = 60_000
const AVERAGES = [0, 2_000, 5_000]
/** Runs only the attacks on these venues: `deep`. */
const ONLY = process.argv[4] ?? ''

const read = (...path: string[]) => gunzipSync(readFileSync(join(MARKET_DATA, ...path))).toString()
const quantile = (sorted: number[], share: number) => sorted[Math.floor((sorted.length - 1) * share)]!
const ascending = (values: number[]) => values.toSorted((a, b) => a - b)
const row = (...cells: (string | number)[]) => console.log(`| ${cells.join(' | ')} |`)
const usd = (value: number) => `$${Math.round(value).toLocaleString('en-US')}`

// What the recordings hold: spreads, and what the smaller side of the best bid and ask is worth.
console.log('\n## Recorded best bids and asks\n')
row('recording', 'quotes', 'spread: median, 95 %, 99 % (bps)', 'smaller side: median, 5 %', 'below $1,000')
row('---', '---:', '---:', '---:', '---:')
const recording = read('binance-ws-2024-08-08', 'frames.ndjson.gz')
type Quote = [bid: number, bidSize: number, ask: number, askSize: number]
function shows(name: string, quotes: readonly Quote[]): void {
  const spreads = ascending(quotes.map(([bid, , ask]) => ((ask - bid) / ((ask + bid) / 2)) * 10_000))
  const sizes = ascending(quotes.map(([bid, bidSize, ask, askSize]) => Math.min(bid * bidSize, ask * askSize)))
  const small = sizes.filter((size) => size < 1_000).length / sizes.length
  const at = (share: number) => quantile(spreads, share).toFixed(2)
  row(
    name,
    quotes.length.toLocaleString('en-US'),
    `${at(0.5)}, ${at(0.95)}, ${at(0.99)}`,
    `${usd(quantile(sizes, 0.5))}, ${usd(quantile(sizes, 0.05))}`,
    `${(small * 100).toFixed(0)} %`,
  )
}
for (const symbol of ['BTCUSDT', 'ETHUSDT']) {
  const books = recording.matchAll(
    new RegExp(`"s":"${symbol}","b":"([\\d.]+)","B":"([\\d.]+)","a":"([\\d.]+)","A":"([\\d.]+)"`, 'g'),
  )
  shows(
    `Binance ${symbol}, 2024-08-08, 11 minutes`,
    [...books].map((found) => found.slice(1).map(Number) as Quote),
  )
}
for (const symbol of ['BTCUSD', 'ETHUSD', 'LTCUSD', 'BTCEUR']) {
  const lines = read('lean', `2018-04-05_coinbase_${symbol}_1m_quote.csv.gz`).trim().split('\n').slice(1)
  const cells = lines.map((line) => line.split(',').map(Number))
  shows(
    `Coinbase ${symbol}, 2018-04-05, closes of minutes`,
    cells.map((cell): Quote => [cell[4]!, cell[5]!, cell[9]!, cell[10]!]),
  )
}

const recorded = new Map<string, Made[]>()
for (const [, symbol, price, time] of recording.matchAll(/"e":"trade".*?"s":"(\w+)".*?"p":"([\d.]+)".*?"T":(\d+)/g)) {
  const made = recorded.get(symbol!) ?? []
  recorded.set(symbol!, made)
  made.push({ madeMs: Number(time), price: Number(price) })
}
const made = resample([...recorded.values()], 5, START, HOURS * 3_600_000)
const both = [made, mirrored(made)] as const

const thin = (id: string, lagMs: number): SyntheticVenue => ({
  ...{ id, lagMs, spreadBps: 40, stepBps: 4, levelUsd: 400, bestUsd: 150, strayBps: 4 },
})
const deep = (id: string, lagMs: number): SyntheticVenue => ({
  ...{ id, lagMs, spreadBps: 1, stepBps: 0.3, levelUsd: 15_000, bestUsd: 6_000, strayBps: 0.5 },
})
const THIN = [thin('a', 0), thin('b', 300), thin('c', 800)]
const DEEP = [deep('a', 0), deep('b', 100), deep('c', 300)]
const LOOSE = { ...DEFAULT_TERMS, depthUsd: 0.01, largestSpreadBps: 500, largestDeviationBps: 100 }
const SHALLOW = { ...DEFAULT_TERMS, depthUsd: 1_000, largestSpreadBps: 60, largestDeviationBps: 40 }
const STRICT = { ...DEFAULT_TERMS, depthUsd: 5_000, largestSpreadBps: 20, largestDeviationBps: 20 }
const tradeTimes: number[] = []
const span = HOURS * 3_600_000 - 3 * DURATION_MS
for (let at = 0; at < TRADES; at++) tradeTimes.push(START + 60_000 + Math.floor((span * at) / TRADES))

const share = (signs: Int8Array) => {
  const decided = signs.filter((sign) => sign !== 0)
  return decided.filter((sign) => sign > 0).length / decided.length
}
/** Profit per unit of stake of a Buy at 75 %. */
const meanOf = (signs: Int8Array) =>
  signs.reduce((sum, sign) => sum + (sign > 0 ? 0.75 : sign < 0 ? -1 : 0), 0) / signs.length

console.log(`\n## Attacks at the exit of a Buy of ${DURATION_MS / 1_000} s at 75 %, ${TRADES} trades each\n`)
row(
  'venues',
  'price',
  'attack',
  'average',
  'moved (bps)',
  'wins',
  'profit',
  'cost at most',
  'pays from a stake of',
  'no price',
)
row('---', '---', '---', '---', '---:', '---:', '---:', '---:', '---:', '---:')
for (const [venues, name, terms, deviation] of [
  [THIN.slice(0, 2), '2 thin', LOOSE, 90],
  [THIN.slice(0, 2), '2 thin', SHALLOW, 36],
  [THIN, '3 thin', LOOSE, 90],
  [THIN, '3 thin', SHALLOW, 36],
  [DEEP.slice(0, 2), '2 deep', LOOSE, 90],
  [DEEP.slice(0, 2), '2 deep', STRICT, 18],
  [DEEP, '3 deep', LOOSE, 90],
  [DEEP, '3 deep', STRICT, 18],
] as const) {
  if (!name.includes(ONLY)) continue
  const run: Run = { venues, terms, made: both, tradeTimes, durationMs: DURATION_MS, seed: 7 }
  const size = venues[0]!.spreadBps > 10 ? 1_000 : 5_000
  const attacks: (Attack | undefined)[] = [
    undefined,
    { name: 'a bid of $5', usd: 5, venues: 1 },
    { name: `a bid of ${usd(size)}`, usd: size, venues: 1 },
    { name: `bids of ${usd(size)} in two venues`, usd: size, venues: 2 },
    { name: `buys up ${deviation} bps, bids ${usd(size)}`, usd: size, venues: 1, pushBps: deviation },
    { name: `the same in two venues`, usd: size, venues: 2, pushBps: deviation },
  ]
  for (const attack of attacks) {
    for (const averageMs of AVERAGES) {
      const found = playAttacked(run, averageMs, attack)
      const mean = meanOf(found.signs)
      row(
        name,
        terms === LOOSE ? 'best bid and ask' : `at ${usd(terms.depthUsd)}`,
        attack?.name ?? 'none',
        averageMs === 0 ? 'none' : `${averageMs / 1_000} s`,
        attack && found.missing < TRADES ? found.movedBps.toFixed(2) : '',
        found.missing < TRADES ? `${(share(found.signs) * 100).toFixed(1)} %` : '',
        `${(mean * 100).toFixed(1)} %`,
        attack ? `$${found.costUsd.toFixed(2)}` : '',
        attack ? (mean > 0 ? `$${(found.costUsd / mean).toFixed(0)}` : 'never') : '',
        found.missing,
      )
    }
  }
}

console.log('\n## A bot that knows the leading venue at once\n')
row('market', 'average', 'bot trades', 'trades', 'wins', 'mean profit', '95 % upper bound')
row('---', '---', '---', '---:', '---:', '---:', '---:')
const LED = ['leader', 'follower', 'last']
const botTimes: number[] = []
for (let at = START + 60_000; at < START + span; at += 500) botTimes.push(at)
const perSecond = made.length / (HOURS * 3_600)
for (const [name, venues, messages] of [
  ['others follow within 0.1 s', LED, oneVenueLeads(made, 100, 0.3)],
  ['others follow after 1 to 2 s', LED, oneVenueLeads(made, 2_000, 0.3)],
  ['others trade every 4 s', LED, oneVenueLeads(made, 100, 1 / 4 / perSecond)],
  ['a feed hides that it is 2 s late', ['x', 'y'], lateFeed(made, 2_000, false)],
] as const) {
  const shown = publish(venues, messages)
  for (const averageMs of AVERAGES) {
    for (const leadBps of [0, 2, 4]) {
      const one = { shown, known: made, tradeTimes: botTimes, durationMs: DURATION_MS, leadBps }
      const found = play([averageMs === 0 ? one : { ...one, averageMs }])
      row(
        name,
        averageMs === 0 ? 'none' : `${averageMs / 1_000} s`,
        leadBps === 0 ? 'always' : `${leadBps} bps ahead`,
        found.trades.toLocaleString('en-US'),
        `${(found.winRate * 100).toFixed(1)} %`,
        `${(found.mean * 100).toFixed(1)} %`,
        `${(Math.max(found.upper, found.upperByMinute) * 100).toFixed(1)} %`,
      )
    }
  }
}

console.log('\n## How often an average decides otherwise, without any attack\n')
row('venues', 'average', 'trades decided otherwise', 'draws')
row('---', '---', '---:', '---:')
for (const [venues, name, terms] of [
  [THIN, '3 thin', SHALLOW],
  [DEEP, '3 deep', STRICT],
] as const) {
  const run: Run = { venues, terms, made: both, tradeTimes, durationMs: DURATION_MS, seed: 7 }
  const [single, ...others] = AVERAGES.map((averageMs) => playAttacked(run, averageMs, undefined).signs)
  for (const [at, signs] of others.entries()) {
    const otherwise = signs.filter((sign, trade) => sign !== single![trade]).length / TRADES
    row(
      name,
      `${AVERAGES[at + 1]! / 1_000} s`,
      `${(otherwise * 100).toFixed(1)} %`,
      signs.filter((sign) => sign === 0).length,
    )
  }
}
