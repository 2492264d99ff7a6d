import { expect, test } from 'vitest'
import { bandOf, FACTORS, factorOf } from './shocks.ts'
import { type OpenTrades, type PricedSymbol, worstLoss } from './worst-loss.ts'

const BOOKS = 10_000
const PAIRS = [
  ['BTC', 'USDT'],
  ['ETH', 'BTC'],
  ['LTC', 'EUR'],
  ['BCH', 'BTC'],
  ['XRP', 'GBP'],
  ['LTC', 'BCH'],
  ['BTC', 'EUR'],
  ['GBP', 'JPY'],
  ['USD', 'CHF'],
] as const

/** mulberry32: the same books in every run. */
function seeded(seed: number) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Trade {
  symbol: string
  side: 'Buy' | 'Sell'
  stake: number
  profit: number
  entry: number | null
  end: number
}

test(`no shock costs more than the worst case of ${BOOKS} random books, counted one by one or in groups`, () => {
  const random = seeded(34)
  const whole = (below: number) => Math.floor(random() * below)
  let reached = 0
  const passed: unknown[] = []
  for (let book = 0; book < BOOKS; book++) {
    const prices: PricedSymbol[] = PAIRS.map(([base, quote]) => ({
      ...{ symbol: base + quote, base, quote },
      price: 200 + whole(100_000),
    }))
    const spread = [0.0005, 0.01, 0.3][whole(3)] ?? 0
    const trades = Array.from({ length: 1 + whole(24) }, (): Trade => {
      const of = prices[whole(random() < 0.5 ? 2 : prices.length)]!
      const stake = 100 + whole(1_000_000)
      return {
        symbol: of.symbol,
        side: random() < 0.5 ? 'Buy' : 'Sell',
        ...{ stake, profit: Math.floor((stake * (1 + whole(100)) + 50) / 100) },
        entry: random() < 0.15 ? null : Math.round(of.price! * (1 + spread * (2 * random() - 1))),
        end: 1_000 * (1 + whole(6)),
      }
    })
    const shown = worstLoss(trades.map(single), prices)
    const grouped = worstLoss(inGroups(trades), prices)
    if (grouped.worst < shown.worst) passed.push({ book, grouped: grouped.worst, shown: shown.worst })
    for (let shock = 0; shock < 40; shock++) {
      const factor = FACTORS[whole(FACTORS.length)]!
      const [low, high] = bandOf(factor)
      const move = random() < 0.3 ? [low, high][whole(2)]! : low + (high - low) * random() ** 3
      const at = 1_000 * whole(7) + 500
      const loss = lossOf(trades, prices, { factor, move, at }, () => random() < 0.5)
      const { up, down, rest } = shown.factors.get(factor)!
      if (loss > (move > 1 ? up : down) + rest || loss > shown.worst) passed.push({ book, factor, move, at, loss })
      if (loss > 0 && loss === shown.worst) reached++
    }
  }
  expect(passed).toEqual([])
  // The bound isn't higher than needed: many shocks reach it.
  expect(reached).toBeGreaterThan(BOOKS / 4)
})

const single = ({ end, ...trade }: Trade): OpenTrades => ({ ...trade, firstEnd: end, lastEnd: end })

/** Puts trades of a symbol and side together, as a large book is counted. */
const inGroups = (trades: readonly Trade[]): OpenTrades[] =>
  Map.groupBy(trades, ({ symbol, side, entry, end }) => `${symbol} ${side} ${entry === null} ${end > 3_000}`)
    .values()
    .map((group): OpenTrades => {
      const entries = group.map(({ entry }) => entry ?? 0)
      const ends = group.map(({ end }) => end)
      const [{ symbol, side, entry }] = group as [Trade]
      return {
        ...{ symbol, side },
        stake: group.reduce((sum, one) => sum + one.stake, 0),
        profit: group.reduce((sum, one) => sum + one.profit, 0),
        entry: entry === null ? null : side === 'Buy' ? Math.min(...entries) : Math.max(...entries),
        firstEnd: Math.min(...ends),
        lastEnd: Math.max(...ends),
      }
    })
    .toArray()

/** Settles each trade as a shock leaves its price: by the rules of a trade, and nothing else of the code above. */
function lossOf(
  trades: readonly Trade[],
  prices: readonly PricedSymbol[],
  { factor, move, at }: { factor: string; move: number; at: number },
  entersAfter: () => boolean,
): number {
  let loss = 0
  for (const { symbol, side, stake, profit, entry, end } of trades) {
    const { base, quote, price } = prices.find((one) => one.symbol === symbol)!
    const now = price!
    let shocked = now
    if (factorOf(base) === factor) shocked *= move
    if (factorOf(quote) === factor) shocked /= move
    const exit = end > at ? Math.round(shocked) : now
    // Without an entry yet, it enters before the shock or after it.
    const from = entry ?? (end > at && entersAfter() ? Math.round(shocked) : now)
    if (exit === from) continue
    loss += exit > from === (side === 'Buy') ? profit : -stake
  }
  return loss
}
