/**
 * What a bot earns that knows prices before our tape shows them: `node bench/latency.ts`, with recorded market data in
 * MARKET_DATA. Writes docs/latency-arbitrage.md, and fails if a bot earns where it must not.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Made, type Message, type Play, play, publish, type Result, resample } from '../tests/support/latency.ts'
import { lateFeed, oneVenueLeads } from '../tests/support/latency-scenes.ts'
import { MARKET_DATA } from '../tests/support/market-data.ts'

const START = 1_790_000_000_000
const LENGTH_MS = 51_000_000
const TRADE_EVERY_MS = 500
const DURATION_MS = 60_000
const LEADS = [0, 2, 4]

const text = gunzipSync(readFileSync(join(MARKET_DATA, 'binance-ws-2024-08-08', 'frames.ndjson.gz'))).toString()
const recorded = new Map<string, Made[]>()
for (const [, symbol, price, time] of text.matchAll(/"e":"trade".*?"s":"(\w+)".*?"p":"([\d.]+)".*?"T":(\d+)/g)) {
  const made = recorded.get(symbol!) ?? []
  recorded.set(symbol!, made)
  made.push({ madeMs: Number(time), price: Number(price) })
}
const made = resample([...recorded.values()], 5, START, LENGTH_MS)
const tradeTimes: number[] = []
for (let at = START + 60_000; at < START + LENGTH_MS - 2 * DURATION_MS; at += TRADE_EVERY_MS) tradeTimes.push(at)
// Trades per second of the recording, to say how thin the followers are.
const perSecond = made.length / (LENGTH_MS / 1_000)

interface Row {
  name: string
  venues: string[]
  messages: () => Message[]
  mayEarn?: boolean
  change?: Partial<Play>
}

const LATE = ['x', 'y']
const LED = ['leader', 'follower', 'last']
const rows: Row[] = [
  ...[100, 500, 2_000].map((lag) => ({
    name: `The whole feed is ${lag / 1_000} s late`,
    venues: LATE,
    messages: () => lateFeed(made, lag, true),
  })),
  ...[100, 500, 2_000].map((late) => ({
    name: `Our line to the leading one of three venues is ${late / 1_000} s late`,
    venues: LED,
    messages: () => oneVenueLeads(made, 100, 0.3, late),
  })),
  ...[100, 500].map((reacts) => ({
    name: `One venue leads, the others follow within ${reacts / 1_000} s`,
    venues: LED,
    messages: () => oneVenueLeads(made, reacts, 0.3),
  })),
  ...[2, 4, 9].map((seconds) => ({
    name: `One venue leads, the others trade every ${seconds} s`,
    venues: LED,
    messages: () => oneVenueLeads(made, 100, 1 / seconds / perSecond),
  })),
  ...[1_000, 2_000, 3_000, 4_000].map((reacts) => ({
    name: `One venue leads, the others follow only after ${reacts / 2_000} to ${reacts / 1_000} s`,
    venues: LED,
    messages: () => oneVenueLeads(made, reacts, 0.3),
  })),
  {
    name: 'Mistake: a feed 2 s late is taken for a slow clock',
    venues: LATE,
    messages: () => lateFeed(made, 2_000, false),
    mayEarn: true,
  },
  {
    name: 'Mistake: trades enter at the price shown last (feed 2 s late)',
    venues: LATE,
    messages: () => lateFeed(made, 2_000, true),
    mayEarn: true,
    change: { entersAtShown: true },
  },
]

const percent = (value: number) => `${(value * 100).toFixed(1)} %`
const table = [
  '| market | bot trades | trades | wins | mean profit | 95 % upper bound |',
  '|---|---|---:|---:|---:|---:|',
]
/** Only rows with this text; the page is then left as it is. */
const only = process.argv[2]
let earned = false
for (const { name, venues, messages, mayEarn, change } of rows.filter(({ name }) => name.includes(only ?? ''))) {
  const shown = publish(venues, messages())
  for (const leadBps of LEADS) {
    const found: Result = play([{ shown, known: made, tradeTimes, durationMs: DURATION_MS, leadBps, ...change }])
    const bound = Math.max(found.upper, found.upperByMinute)
    if (bound >= 0 && !mayEarn) earned = true
    const when = leadBps === 0 ? 'always' : `${leadBps} basis points ahead`
    const cells = [
      name,
      when,
      found.trades.toLocaleString('en-US'),
      percent(found.winRate),
      percent(found.mean),
      percent(bound),
    ]
    table.push(`| ${cells.join(' | ')} |`)
    console.log(table.at(-1))
  }
}

const page = `# Latency arbitrage

What a bot earns that knows prices before our tape shows them. Made by \`node bench/latency.ts\`; don't edit.

The bot knows each price of the liveliest venue the moment it is made. It buys when that price is above the one we show and sells when it is below, compared with how far they are usually apart, each side at the strike rate that pays most for it (75/3 and 1/61), for 60 seconds. \`always\`: at each of ${tradeTimes.length.toLocaleString('en-US')} times; otherwise only when it is far enough ahead. Messages go through the real index and gate into frames of 250 ms, and trades are decided by the real rules.

The market is recorded: random pieces of 20 s of Binance's BTCUSDT and ETHUSDT trades of 2024-08-08, in a row for ${(LENGTH_MS / 3_600_000).toFixed(0)} hours, each as it was or mirrored (so that a rising or falling market earns nothing). Other venues than Binance are derived from it: they repeat its trades later, each a little dearer or cheaper. No recording of several venues at this resolution was at hand.

Profit is per unit of stake. A coin toss loses 12.5 % at 75/3 and 19.5 % at 1/61. The bound is the larger of two: as if trades were independent, and by minutes of the market.

${table.join('\n')}

## What this means

- **A late feed earns nothing**, because its ticks bear the time at which their prices were made: whatever the bot knows is older than its entry.
- **A feed that hides its lag would earn.** That is why a clock that lies behind is never corrected ([venues](../server/venues/README.md)). A feed that stamps old prices with the current time can't be recognized from itself; only the other venues can expose it.
- **A venue that follows the others is as old as what it repeats.** If all but one react only after seconds, the median moves in steps that the quickest venue announces. The index finds such venues by their movements, whatever their clocks say ([lead-lag.ts](../server/venues/lead-lag.ts)), and makes their source times that much older, so a trade waits for a price that the quick venue's move is in. Without this the bot won 58.5 % of its trades with leads of four basis points on venues that follow after 1 to 2 s, and its upper bound was +1.1 %. How quickly real venues follow each other, only live data can show.
- **Old trades are no prices.** A trade counts for 5 s. When it counted for a minute, the bot won 60 to 66 % of its trades against venues that trade every 9 s: it saw the leader move and knew where the median would go.
`
if (only === undefined) writeFileSync(new URL('../docs/latency-arbitrage.md', import.meta.url), page)
if (earned) {
  console.error('A bot may earn: an upper bound is not below 0.')
  process.exitCode = 1
}
