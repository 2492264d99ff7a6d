/**
 * What a bot earns that sells its trades early: `node lab/bench/prices/sale.ts`, with recorded market data in MARKET_DATA. Prints a
 * table, and fails if an upper bound isn't below 0.
 *
 * The bot knows each price when it's made, while our tape shows it up to 15 s later. It buys or sells in the direction that
 * the market has taken since the price shown, at the strike rate that pays this side the most. At each step it compares what
 * the formula would pay with what the trade is worth by its own, better variance: that of the last five minutes, or even
 * that of the five minutes before and after, which nobody knows. If the formula pays more, it orders the sale, with its own value as the
 * minimum; the first price after that decides, as it does for the entry. Each day is played as recorded and mirrored, so
 * that a trend earns nothing.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { percentOf } from '#contract/terms.ts'
import { usd } from '#kernel/money.ts'
import { first, must } from '#kernel/must.ts'
import { price } from '#kernel/price.ts'
import { isSaleTime, SALE_RULE, saleValue, varianceMinute, varianceOf } from '#kernel/sale-value.ts'
import { MINUTE_MS, SECOND_MS } from '#kernel/time.ts'
import { saleTermsOf } from '#server/trading/sales/sale.ts'
import { profitIfRight, RULE_VERSION, type Terms, type Tick } from '#server/trading/trade.ts'
import { MARKET_DATA } from '#tests/support/prices/market-data.ts'

const STAKE = usd(10_000n)
const FORESIGHTS = [0, 1, 5, 15]

interface Day {
  name: string
  everyMs: number
  /** Prices in cents, one each `everyMs`, from a full minute on. */
  prices: number[]
}

function readDay(file: string, everyMs: number): Day {
  const rows = gunzipSync(readFileSync(join(MARKET_DATA, 'lean', `${file}.csv.gz`)))
    .toString()
    .trim()
    .split('\n')
    .map((line) => line.split(',').map(Number))
    .filter(([time]) => Number.isFinite(time))
  const start = Math.ceil(must(first(rows)[0]) / MINUTE_MS) * MINUTE_MS
  const prices: number[] = []
  let last = must(first(rows)[4])
  for (const row of rows) {
    const at = Math.floor((must(row[0]) - start) / everyMs)
    while (prices.length < at) prices.push(Math.round(last * 100))
    last = must(row[4])
  }
  return { name: file.replace('_trade', ''), everyMs, prices }
}

const mirrored = ({ prices, ...day }: Day): Day => ({
  ...day,
  prices: prices.map((one) => Math.round(first(prices) ** 2 / one)),
})

/** The chance that a normal variable is below `x`. */
function normal(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x))
  const tail =
    Math.exp((-x * x) / 2) *
    0.3989422804 *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return x > 0 ? 1 - tail : tail
}

type Knows = 'the last five minutes' | 'ten minutes around'

interface Market extends Day {
  /** Sums of the squared returns up to each price. */
  squares: number[]
  variances: Map<number, number | undefined>
}

function marketOf(day: Day): Market {
  const squares = [0]
  for (let i = 1; i < day.prices.length; i++)
    squares.push(must(squares.at(-1)) + (must(day.prices[i]) / must(day.prices[i - 1]) - 1) ** 2)
  return { ...day, squares, variances: new Map() }
}

/** The variance that the tape states for a time, from the closes of the minutes before. */
function statedAt(market: Market, ms: number): number | undefined {
  const minute = varianceMinute(ms)
  if (!market.variances.has(minute)) {
    const closes: number[] = []
    for (let at = Math.max(0, minute - 60 * MINUTE_MS); at < minute; at += MINUTE_MS)
      closes.push(must(market.prices[(at + MINUTE_MS) / market.everyMs - 1]))
    market.variances.set(minute, varianceOf(closes))
  }
  return market.variances.get(minute)
}

interface Played {
  /** Per unit of stake. */
  profit: number
  /** What the sale brought more than holding would have; undefined if it wasn't sold. */
  gained: number | undefined
}

function playTrade(
  market: Market,
  at: number,
  durationMs: number,
  foresight: number,
  knows: Knows,
): Played | undefined {
  const { prices, everyMs } = market
  const timeOf = (index: number) => index * everyMs
  const back = Math.max(0, at - Math.round((foresight * SECOND_MS) / everyMs))
  const ahead = must(prices[at]) - must(prices[back])
  const side = ahead === 0 ? (at % 2 === 0 ? 'Buy' : 'Sell') : ahead > 0 ? 'Buy' : 'Sell'
  const percent = percentOf(side === 'Buy' ? '75/3' : '1/61', side)
  const terms: Terms = {
    ...{ side, percent, stake: STAKE, tradeTime: timeOf(at), endTime: timeOf(at) + durationMs },
    ...{ staleAfterMs: 10_000, sourceKind: 0, rule: RULE_VERSION },
  }
  const end = at + durationMs / everyMs
  const exit = prices[end]
  if (exit === undefined) return undefined
  const entry = must(prices[at + 1])
  const payout = STAKE + profitIfRight(STAKE, percent)
  const held = exit === entry ? STAKE : exit > entry === (side === 'Buy') ? payout : 0n
  const entryTick: Tick = { seq: 1n, sourceMs: timeOf(at + 1), price: price(BigInt(entry)), kind: 0 }
  const sold = saleTermsOf(SALE_RULE, terms, entryTick)
  const valueAt = (index: number) => {
    const stated = statedAt(market, timeOf(index))
    return stated !== undefined && isSaleTime(sold, timeOf(index))
      ? saleValue(sold, BigInt(must(prices[index])), timeOf(index), stated)
      : undefined
  }
  for (let now = at + 1; now < end - 1; now++) {
    const offered = valueAt(now)
    if (offered === undefined || offered === 0n) continue
    const believed = believedAt(market, { now, end, entry, side, knows }) * Number(payout)
    if (Number(offered) <= believed) continue
    // The next price decides.
    const found = valueAt(now + 1)
    if (found === undefined || Number(found) < believed) continue
    return { profit: Number(found - STAKE) / Number(STAKE), gained: Number(found - held) / Number(STAKE) }
  }
  return { profit: Number(held - STAKE) / Number(STAKE), gained: undefined }
}

/** The chance of a win by what the bot knows of the variance. */
function believedAt(
  { prices, squares, everyMs }: Market,
  { now, end, entry, side, knows }: { now: number; end: number; entry: number; side: string; knows: Knows },
): number {
  const span = (5 * MINUTE_MS) / everyMs
  const from = Math.max(0, now - span)
  const to = knows === 'ten minutes around' ? Math.min(prices.length - 1, now + span) : now
  const each = (must(squares[to]) - must(squares[from])) / (to - from)
  const deviation = Math.sqrt(each * (end - now))
  const here = must(prices[now])
  const ahead = (side === 'Buy' ? here - entry : entry - here) / here
  return deviation === 0 ? (ahead > 0 ? 1 : 0) : normal(ahead / deviation)
}

/** The mean, and its upper bound with 95% confidence: the larger one of independent trades and of hours of the market. */
function bounds(values: readonly { hour: number; value: number }[]): { mean: number; upper: number } {
  const mean = values.reduce((sum, { value }) => sum + value, 0) / values.length
  const single = Math.sqrt(values.reduce((sum, { value }) => sum + (value - mean) ** 2, 0)) / values.length
  const hours = [...Map.groupBy(values, ({ hour }) => hour).values()]
  const ofHours = hours.map((some) => some.reduce((sum, { value }) => sum + value - mean, 0))
  const clustered = Math.sqrt(ofHours.reduce((sum, one) => sum + one * one, 0)) / values.length
  return { mean, upper: mean + 1.645 * Math.max(single, clustered) }
}

const days = [
  readDay('2016-10-07_coinbase_BTCUSD_1s_trade', SECOND_MS),
  ...['BTCUSD', 'ETHUSD', 'LTCUSD'].map((symbol) => readDay(`2018-04-05_coinbase_${symbol}_1m_trade`, MINUTE_MS)),
]
const percent = (value: number) => `${(value * 100).toFixed(1)}%`
console.log(
  '| recorded | duration | the bot knows the variance of | foresight | trades | sold | mean profit | upper bound | sale less holding | upper bound |',
)
console.log('|---|---:|---|---:|---:|---:|---:|---:|---:|---:|')
let earned = false
for (const day of days) {
  const markets = [marketOf(day), marketOf(mirrored(day))]
  const isFine = day.everyMs === SECOND_MS
  for (const seconds of isFine ? [60, 180, 900] : [900, 3_600])
    for (const knows of ['the last five minutes', 'ten minutes around'] as const)
      for (const foresight of isFine ? FORESIGHTS : [0]) {
        const profits: { hour: number; value: number }[] = []
        const gains: { hour: number; value: number }[] = []
        const every = isFine ? 30 : 1
        for (let at = (61 * MINUTE_MS) / day.everyMs; at < day.prices.length; at += every)
          for (const [place, market] of markets.entries()) {
            const played = playTrade(market, at, seconds * SECOND_MS, foresight, knows)
            if (!played) continue
            const hour = 2 * Math.floor((at * day.everyMs) / (60 * MINUTE_MS)) + place
            profits.push({ hour, value: played.profit })
            if (played.gained !== undefined) gains.push({ hour, value: played.gained })
          }
        const profit = bounds(profits)
        const gain = bounds(gains)
        if (profit.upper >= 0) earned = true
        const cells = [
          ...[day.name, `${seconds} s`, knows, `${foresight} s`, profits.length, gains.length],
          ...[profit.mean, profit.upper, gain.mean, gain.upper].map(percent),
        ]
        console.log(`| ${cells.join(' | ')} |`)
      }
}
if (earned) {
  console.error('A bot may earn: an upper bound is not below 0.')
  process.exitCode = 1
}
