import { percentOf } from '#contract/trading/trading.ts'
import { usd, usdToNumber } from '#kernel/money.ts'
import { price } from '#kernel/price.ts'
import type { Ms } from '#kernel/time.ts'
import { instrumentsFrom } from '#server/prices/instruments/instruments.ts'
import { createGate } from '#server/prices/tape/gate.ts'
import { decideOutcome, RULE_VERSION, type Terms, type Tick } from '#server/trading/trade.ts'
import { createPriceIndex, DEFAULT_TERMS, isPrice, planListing, toScale } from '#server/venues/index.ts'
import { draws } from '../random.ts'
import { instrument } from './instruments.ts'

/** A bot that knows prices before our tape shows them, tested on the real index, gate and trading rules. */

/** A price and when the market made it. Ascending in time. */
export interface Made {
  madeMs: Ms
  price: number
}

/** A venue's message on its way to us. */
export interface Message {
  venue: string
  venueMs: Ms | undefined
  receivedMs: Ms
  /** Undefined: a heartbeat. */
  price: number | undefined
}

/** A tick, and when anyone could see it. */
interface Shown {
  tick: Tick
  shownMs: Ms
}

const FRAME_MS = 250
/** From the frame's time to its commit. */
const COMMIT_MS = 5
const SCALE = 2
/** How long the bot takes to learn how far its venue usually is from the price shown. */
const USUAL_MS = 30_000
/** Longer than any lag in the tests. */
const PIECE_MS = 20_000
const STAKE = usd(1_000n)

/**
 * Returns a longer market of the same kind: a sequence of random pieces of the recorded ones, each mirrored or not.
 * Each piece keeps its recorded moves, but a bot gains or loses nothing from the trend of the recorded day.
 */
export function resample(recorded: readonly (readonly Made[])[], seed: number, startMs: Ms, lengthMs: number): Made[] {
  const { below, chance, pick } = draws(seed)
  const made: Made[] = []
  let level = 0
  for (let at = startMs; at < startMs + lengthMs; at += PIECE_MS) {
    const market = pick(recorded)
    const from = market[0]!.madeMs + below(market.at(-1)!.madeMs - market[0]!.madeMs - PIECE_MS)
    const first = firstAfter(market, from)
    const isMirrored = chance(0.5)
    const base = market[first]!.price
    if (level === 0) level = base
    let price = level
    for (let i = first; market[i]!.madeMs < from + PIECE_MS; i++) {
      const factor = market[i]!.price / base
      price = level * (isMirrored ? 1 / factor : factor)
      made.push({ madeMs: at + market[i]!.madeMs - from, price })
    }
    level = price
  }
  return made
}

function firstAfter(market: readonly Made[], time: Ms): number {
  let [low, high] = [0, market.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (market[middle]!.madeMs < time) low = middle + 1
    else high = middle
  }
  return low
}

/** Publishes the venues' messages through the index and the gate, with a frame every 250 ms. */
export function publish(venues: readonly string[], messages: readonly Message[]): Shown[] {
  const pair = { name: 'BTC/USD', base: 'BTC', quote: 'USD' }
  const instruments = instrumentsFrom([instrument({ id: 1, symbol: 'BTCUSD', scale: SCALE })])
  const newest = { sourceMs: new Float64Array(1), units: new Float64Array(1), seq: new Float64Array(1) }
  const gate = createGate(instruments, newest)
  const index = createPriceIndex(venues)
  index.use(
    planListing(
      [{ symbol: 'BTCUSD', base: 'BTC', quote: 'USD', terms: DEFAULT_TERMS }],
      venues.map((id) => ({ id, name: id, markets: [pair] })),
    ),
  )
  const inOrder = messages.toSorted((a, b) => a.receivedMs - b.receivedMs)
  const shown: Shown[] = []
  let next = 0
  for (let now = inOrder[0]!.receivedMs; next < inOrder.length; now += FRAME_MS) {
    for (; next < inOrder.length && inOrder[next]!.receivedMs <= now; next++) {
      const { venue, venueMs, receivedMs, price } = inOrder[next]!
      if (price === undefined) index.listener.alive(venue, venueMs, receivedMs)
      else {
        const unchecked = { price: price.toFixed(8) }
        index.listener.quote(venue, { market: pair.name, unchecked, venueMs, receivedMs })
      }
    }
    index.evaluate(now)
    const found = index.priceOf('BTCUSD')
    gate.at(now)
    if (isPrice(found)) gate.state(0, Number(toScale(found.price, SCALE)), found.sourceMs)
    for (const { units, sourceMs } of gate.candidates()) {
      newest.sourceMs[0] = sourceMs
      newest.units[0] = units
      const seq = BigInt(++newest.seq[0]!)
      shown.push({ tick: { seq, sourceMs, price: price(BigInt(units)), kind: 0 }, shownMs: now + COMMIT_MS })
    }
    gate.clear()
  }
  return shown
}

export interface Result {
  trades: number
  /** Share of wins among the trades that were won or lost. */
  winRate: number
  /** Profit per unit of stake. */
  mean: number
  /** Upper bounds of the mean with 95 % confidence: for independent trades, and clustered by minute. */
  upper: number
  upperByMinute: number
}

export interface Play {
  shown: readonly Shown[]
  /** Prices that the bot knows the moment they are made. */
  known: readonly Made[]
  tradeTimes: readonly Ms[]
  durationMs: number
  /** The bot trades only if its lead is at least this large, in basis points. */
  leadBps: number
  /** The entry is the mean of the prices of this long after the trade, the exit that of as long before its end. */
  averageMs?: number
  /** Plants a bug: trades enter at the price shown last. */
  entersAtShown?: boolean
}

/**
 * Buys when the price that the bot knows is above the one shown and sells when it is below, each at the best rate.
 * Several plays (of several symbols) count as one.
 */
export function play(plays: readonly Play[]): Result {
  const found = plays.map(playOne)
  const wins = found.reduce((sum, one) => sum + one.wins, 0)
  const decided = found.reduce((sum, one) => sum + one.decided, 0)
  return { ...bounds(found.flatMap(({ profits }) => [...profits.values()])), winRate: wins / decided }
}

function playOne({ shown, known, tradeTimes, durationMs, leadBps, averageMs, entersAtShown }: Play) {
  const profits = new Map<number, number[]>()
  let [ahead, seen, proven, wins, decided] = [0, 0, 0, 0, 0]
  let usual: number | undefined
  let before = tradeTimes[0]!
  for (const tradeTime of tradeTimes) {
    while (known[ahead + 1] !== undefined && known[ahead + 1]!.madeMs <= tradeTime) ahead++
    while (shown[seen + 1] !== undefined && shown[seen + 1]!.shownMs <= tradeTime) seen++
    const last = shown[seen]!
    if (last.shownMs > tradeTime || known[ahead]!.madeMs > tradeTime) continue
    const distance = (known[ahead]!.price * 10 ** SCALE) / Number(last.tick.price) - 1
    // A venue that is always slightly higher has no lead: only a deviation from the usual distance counts.
    usual ??= distance
    usual += (distance - usual) * Math.min(1, (tradeTime - before) / USUAL_MS)
    before = tradeTime
    const lead = distance - usual
    if (Math.abs(lead) * 10_000 < leadBps || lead === 0) continue
    const side = lead > 0 ? 'Buy' : 'Sell'
    const terms: Terms = {
      side,
      stake: STAKE,
      percent: percentOf(side === 'Buy' ? '75/3' : '1/61', side),
      tradeTime,
      endTime: tradeTime + durationMs,
      staleAfterMs: 10_000,
      sourceKind: 0,
      rule: RULE_VERSION,
    }
    while (shown[proven + 1] !== undefined && shown[proven]!.tick.sourceMs <= terms.endTime) proven++
    if (shown[proven]!.tick.sourceMs <= terms.endTime) break
    const single = shown.slice(Math.max(0, seen - 20), proven + 1).map(({ tick }) => tick)
    const ticks = averageMs === undefined ? single : averaged(single, terms, averageMs)
    const outcome = decideOutcome(
      terms,
      entersAtShown
        ? [{ ...last.tick, sourceMs: tradeTime + 1 }, ...ticks.filter(({ sourceMs }) => sourceMs > tradeTime + 1)]
        : ticks,
    )
    if (outcome.status === 'Won') wins++
    if (outcome.status === 'Won' || outcome.status === 'Lost') decided++
    const minute = Math.floor(tradeTime / 60_000)
    const ofMinute = profits.get(minute) ?? []
    profits.set(minute, ofMinute)
    ofMinute.push((usdToNumber(outcome.payout) - usdToNumber(STAKE)) / usdToNumber(STAKE))
  }
  return { profits, wins, decided }
}

/** Finer than a price, so that two averages are rarely the same. */
const FINER = 1_000n

/** Returns an entry, an exit and a later tick that make the rules decide by averages. */
function averaged(ticks: readonly Tick[], { tradeTime, endTime }: Terms, averageMs: number): Tick[] {
  const mean = (from: Ms, to: Ms): Tick[] => {
    const found = ticks.filter(({ sourceMs }) => sourceMs > from && sourceMs <= to)
    if (found.length === 0) return []
    const sum = found.reduce((total, tick) => total + tick.price * FINER, 0n)
    return [{ ...found.at(-1)!, price: price(sum / BigInt(found.length)) }]
  }
  return [...mean(tradeTime, tradeTime + averageMs), ...mean(endTime - averageMs, endTime), ticks.at(-1)!]
}

function bounds(groups: readonly (readonly number[])[]): Omit<Result, 'winRate'> {
  const all = groups.flat()
  const trades = all.length
  const mean = all.reduce((sum, profit) => sum + profit, 0) / trades
  const variance = all.reduce((sum, profit) => sum + (profit - mean) ** 2, 0) / trades
  // Trades of the same minute share most of the market that decides them.
  const clusters = groups.map((group) => group.reduce((sum, profit) => sum + profit - mean, 0))
  const count = groups.length
  const ofClusters = (clusters.reduce((sum, excess) => sum + excess ** 2, 0) * count) / Math.max(1, count - 1)
  return {
    trades,
    mean,
    upper: mean + 1.645 * Math.sqrt(variance / trades),
    upperByMinute: mean + 1.645 * (Math.sqrt(ofClusters) / trades),
  }
}
