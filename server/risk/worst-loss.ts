import type { TradeSide } from '#contract/trading/trading.ts'
import { rangeMax } from './range-max.ts'
import { bandOf, type Direction, FACTORS, type Factor, factorOf } from './shocks.ts'

/** What a symbol is made of, and its price now: null while it has none. */
export interface PricedSymbol {
  symbol: string
  base: string
  quote: string
  price: number | null
}

/**
 * Open trades of one symbol and side that are counted together. Amounts are cents. Prices and entries are units of the
 * symbol's last digit.
 */
export interface OpenTrades {
  symbol: string
  side: TradeSide
  stake: number
  /** What they win in total. */
  profit: number
  /** The entry that is best for the traders: the lowest of Buy, the highest of Sell. Null: one has no entry yet. */
  entry: number | null
  /** When the first and the last of them end, Unix ms. */
  firstEnd: number
  lastEnd: number
}

type Losses = Record<Direction, number>

export interface WorstLoss {
  /**
   * The loss on the trades of a factor when it moves by its shock, by direction; `rest`: what all other trades lose
   * meanwhile, at their prices now.
   */
  factors: Map<Factor, Losses & { rest: number }>
  /** The loss on the trades of a symbol when both of its factors move. */
  symbols: Map<string, Losses>
  /** The largest loss that the shock of one factor causes, or of one of two coins of the same factor. */
  worst: number
}

/**
 * Returns what the house loses at worst on its open trades while one factor moves, at any moment from now on, by its
 * shock or a part of it, and stays there. Until that moment prices are as they are now. A trade that the traders
 * lose reduces the loss only where it certainly loses: at that price, and if it ends after that moment. What ends before
 * the moment never reduces it. A trade without an entry counts with its profit, and as no hedge.
 */
export function worstLoss(book: readonly OpenTrades[], prices: readonly PricedSymbol[]): WorstLoss {
  const symbols = new Map(prices.map((one) => [one.symbol, one]))
  const bySymbol = Map.groupBy(book, ({ symbol }) => symbol)
  const parts = new Map<Factor, Part[]>(FACTORS.map((factor) => [factor, []]))
  const result: WorstLoss = { factors: new Map(), symbols: new Map(), worst: 0 }
  let now = 0
  const sameFactor: { losses: Losses; now: number }[] = []
  for (const [name, trades] of bySymbol) {
    const one = symbols.get(name) ?? { symbol: name, base: name, quote: name, price: null }
    const [base, quote] = [factorOf(one.base), factorOf(one.quote)]
    const direct = trades.map((trade) => partOf(trade, one.price, false))
    now += nowOf(direct)
    const [low, high] = bandOf(base)
    const [quoteLow, quoteHigh] = bandOf(quote)
    const losses = sweep(direct, [low / quoteHigh, high / quoteLow])
    result.symbols.set(name, losses)
    // Two coins of one factor move together, so its shock leaves their price alone: what moves is one of the two.
    if (base === quote) {
      sameFactor.push({ losses, now: nowOf(direct) })
      continue
    }
    parts.get(base)?.push(...direct)
    parts.get(quote)?.push(...trades.map((trade) => partOf(trade, one.price, true)))
  }
  for (const [factor, own] of parts) {
    const rest = Math.max(0, now - nowOf(own))
    const losses = own.length > 0 ? sweep(own, bandOf(factor)) : { up: 0, down: 0 }
    result.factors.set(factor, { ...losses, rest })
    result.worst = Math.max(result.worst, losses.up + rest, losses.down + rest)
  }
  for (const { losses, now: own } of sameFactor)
    result.worst = Math.max(result.worst, Math.max(losses.up, losses.down) + Math.max(0, now - own))
  return result
}

/** Trades as a function of how a factor moves: they lose on one side of the entry's cell and win on the other. */
interface Part {
  /** The traders win above the cell. */
  isUp: boolean
  /** Where their price rounds to the entry, as multiples of the factor's price now. Undefined: it isn't known. */
  cell: [from: number, to: number] | undefined
  /** They win even where they should certainly lose: their price isn't known. */
  isBlind: boolean
  stake: number
  profit: number
  /** What the house loses on them at the prices now. */
  now: number
  firstEnd: number
  lastEnd: number
}

const nowOf = (parts: readonly Part[]) => parts.reduce((sum, { now }) => sum + now, 0)

/** `isQuote`: the factor is what the price is expressed in, so the price falls when it rises. */
function partOf({ side, entry, stake, profit, firstEnd, lastEnd }: OpenTrades, price: number | null, isQuote: boolean) {
  const part: Part = {
    isUp: (side === 'Buy') !== isQuote,
    cell: undefined,
    isBlind: price === null,
    ...{ stake, profit, firstEnd, lastEnd },
    now: price === null ? profit : 0,
  }
  if (entry === null || price === null) return part
  const [from, to] = [(entry - 0.5) / price, (entry + 0.5) / price]
  part.cell = isQuote ? [1 / to, 1 / from] : [from, to]
  if (price !== entry) part.now = price > entry === (side === 'Buy') ? profit : -stake
  return part
}

/** Returns the largest loss over the moments and over the moves, above and below the price now. */
function sweep(parts: readonly Part[], [low, high]: [number, number]): Losses {
  return { up: sweepSide(parts, 1, high), down: sweepSide(parts, low, 1) }
}

function sweepSide(parts: readonly Part[], low: number, high: number): number {
  const inside = (at: number) => at > low && at < high
  const edges = [low, ...new Set(parts.flatMap(({ cell }) => cell ?? []).filter(inside)), high].sort((a, b) => a - b)
  const loss = rangeMax(edges.length - 1)
  const add = ([from, to]: Range, amount: number) => loss.add(placeOf(edges, from), placeOf(edges, to), amount)
  /** Adds trades that end after the moment. */
  const addOpen = (part: Part) => {
    const { wins, loses } = rangesOf(part, low, high)
    add(wins, part.profit)
    add(loses, -part.stake)
  }
  /** Adds trades of which some end before the moment: they count with their worst, and as no hedge; -1 takes them out. */
  const addSome = (part: Part, sign: 1 | -1) =>
    add(part.now > 0 ? [low, high] : rangesOf(part, low, high).wins, sign * part.profit)

  const changes = parts.flatMap((part) =>
    part.firstEnd === part.lastEnd
      ? [{ at: part.lastEnd, part, is: 'all' }]
      : [
          { at: part.lastEnd, part, is: 'some' },
          { at: part.firstEnd, part, is: 'rest' },
        ],
  )
  changes.sort((a, b) => b.at - a.at)
  // What ends before the moment, as if it ended now.
  let before = nowOf(parts)
  let worst = Math.max(0, before)
  // The moment moves back from the end of all trades to now.
  for (const [place, { at, part, is }] of changes.entries()) {
    if (is === 'rest') addSome(part, -1)
    else before -= part.now
    if (is === 'some') addSome(part, 1)
    else addOpen(part)
    if (changes[place + 1]?.at !== at) worst = Math.max(worst, Math.max(0, before) + loss.max())
  }
  return worst
}

type Range = readonly [from: number, to: number]

/** Where trades certainly lose for the traders, and where they may win, between two multiples of the price now. */
function rangesOf({ isUp, cell, isBlind }: Part, low: number, high: number): { wins: Range; loses: Range } {
  const nowhere: Range = [low, low]
  if (isBlind) return { wins: [low, high], loses: nowhere }
  if (!cell) return { wins: isUp === (low === 1) ? [low, high] : nowhere, loses: nowhere }
  const [from, to] = cell
  return isUp ? { wins: [to, high], loses: [low, from] } : { wins: [low, from], loses: [to, high] }
}

/** Returns how many edges are below a place. */
function placeOf(edges: readonly number[], at: number): number {
  let [from, to] = [0, edges.length - 1]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((edges[middle] ?? 0) < at) from = middle + 1
    else to = middle
  }
  return from
}
