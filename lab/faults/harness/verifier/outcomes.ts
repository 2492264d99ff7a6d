import { saleTimes, worth } from '#packages/verify/sale.js'
import { type Db, sql } from '#server/platform/database/db.ts'
import { readTicks } from '#server/prices/tape/read-ticks.ts'
import { variancesAt } from '#server/prices/tape/variances.ts'

/** A stored trade, with amounts in cents and times in Unix ms. */
export interface StoredTrade {
  id: bigint
  key: string | null
  account_id: bigint
  mode: 'real' | 'demo'
  symbol_id: number
  source_kind: number
  stale_after_ms: number
  side: 'Buy' | 'Sell'
  percent: number
  stake: bigint
  trade_time: bigint
  end_time: bigint
  status: string
  payout: bigint | null
  settled_ms: number | null
}

/** A stored order to sell a trade, with amounts in cents and times in Unix ms. */
export interface StoredSale {
  trade_id: bigint
  account_id: bigint
  at: bigint
  minimum: bigint
  outcome: 'sold' | 'unsold' | null
}

/** An order to sell a trade, and the variance that the tape states for the price that decides it. */
interface Sale extends Pick<StoredSale, 'at' | 'minimum'> {
  variance: number | undefined
}

export interface Verdict {
  status: string
  payout: bigint
}

interface Tick {
  sourceMs: number
  price: bigint
  kind: number
}

const ENTRY_WITHIN_MS = 10_000
const NEWEST_AGAIN_MS = 30_000

/**
 * Decides trades by the published rules (docs/flows/trade.md and sale.md), independently of the product's code, so as not to repeat
 * its bugs.
 */
export function judgeByTape() {
  const ticksOf = new Map<number, Tick[]>()
  const verdicts = new Map<bigint, Verdict>()

  async function extend(db: Db, symbolId: number, fromMs: number): Promise<Tick[]> {
    const known = ticksOf.get(symbolId) ?? []
    const since = Math.max(known.at(-1)?.sourceMs ?? fromMs, fromMs) - NEWEST_AGAIN_MS
    const fresh = await readTicks(db, symbolId, since, Date.now() + 86_400_000)
    const last = known.at(-1)?.sourceMs ?? 0
    const all = [
      ...known,
      ...fresh
        .filter(({ sourceMs }) => sourceMs > last)
        .map(({ sourceMs, price, kind }) => ({ sourceMs, price: price as bigint, kind })),
    ]
    ticksOf.set(symbolId, all)
    return all
  }

  return {
    /** Returns the verdict of each settled trade. A verdict is final: it's never computed again. */
    async verdictsOf(
      db: Db,
      trades: readonly StoredTrade[],
      sales: readonly StoredSale[],
    ): Promise<ReadonlyMap<bigint, Verdict>> {
      const ordersOf = Map.groupBy(sales, (sale) => sale.trade_id)
      const open = trades.filter(({ id, status }) => status !== 'Pending' && !verdicts.has(id))
      for (const [symbolId, mine] of Map.groupBy(open, (trade) => trade.symbol_id)) {
        const ticks = await extend(db, symbolId, Math.min(...mine.map(({ trade_time }) => Number(trade_time))))
        for (const trade of mine) {
          const orders: Sale[] = []
          for (const { at, minimum } of ordersOf.get(trade.id) ?? [])
            orders.push({
              at,
              minimum,
              variance: await varianceFor(db, symbolId, ticks[firstAfter(ticks, Number(at))]),
            })
          verdicts.set(trade.id, decide(trade, ticks, orders))
        }
      }
      return verdicts
    },
  }
}

/** Returns the index of the first tick later than a time. */
function firstAfter(ticks: readonly Tick[], ms: number): number {
  let [low, high] = [0, ticks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (ticks[middle]!.sourceMs > ms) high = middle
    else low = middle + 1
  }
  return low
}

/** Returns the variance that the tape states for the price of a tick. */
async function varianceFor(db: Db, symbolId: number, tick: Tick | undefined): Promise<number | undefined> {
  if (!tick) return undefined
  const stated = await variancesAt(db, tick.sourceMs)
  const { symbol } = await db
    .selectFrom('instruments')
    .select('symbol')
    .where('id', '=', symbolId)
    .executeTakeFirstOrThrow()
  return stated?.of.get(symbol)
}

/** Returns what a trade pays when it's won. Half a cent rounds up. */
const winOf = ({ stake, percent }: StoredTrade): bigint => stake + (stake * BigInt(percent) + 50n) / 100n

const SALE_RULE = 'SE-1'

/** Returns what a trade is sold for by an order; undefined if the order doesn't sell it. */
function soldFor(trade: StoredTrade, ticks: readonly Tick[], { at, minimum, variance }: Sale): bigint | undefined {
  const { waitMs, closedMs } = saleTimes(SALE_RULE)
  const [opened, ends, ordered] = [Number(trade.trade_time), Number(trade.end_time), Number(at)]
  const entry = ticks[firstAfter(ticks, opened)]
  const to = firstAfter(ticks, ordered)
  const tick = ticks[to]
  if (!entry || !tick || variance === undefined || tick.sourceMs > ordered + waitMs) return undefined
  if (tick.sourceMs < opened + closedMs || tick.sourceMs > ends - closedMs) return undefined
  if (ticks.slice(firstAfter(ticks, opened), to + 1).some(({ kind }) => kind !== trade.source_kind)) return undefined
  const payout = worth({
    ...{ rule: SALE_RULE, side: trade.side, payout: winOf(trade), variance },
    ...{ entry: entry.price, price: tick.price, left: ends - tick.sourceMs },
  })
  return payout < minimum ? undefined : payout
}

/** Decides a trade from the ticks of its symbol, oldest first, and from the orders to sell it. */
export function decide(trade: StoredTrade, ticks: readonly Tick[], sales: readonly Sale[] = []): Verdict {
  const [opened, ends] = [Number(trade.trade_time), Number(trade.end_time)]
  const refund = { status: 'Void', payout: trade.stake }
  const from = firstAfter(ticks, opened)
  const to = firstAfter(ticks, ends)
  const entry = ticks[from]
  if (!entry || entry.sourceMs > opened + ENTRY_WITHIN_MS) return refund
  const sold = sales.map((sale) => soldFor(trade, ticks, sale)).find((payout) => payout !== undefined)
  if (sold !== undefined) return { status: 'Sold', payout: sold }
  if (ticks.slice(from, to).some(({ kind }) => kind !== trade.source_kind) || entry.kind !== trade.source_kind)
    return refund
  const exit = ticks[to - 1]
  if (!exit || exit.sourceMs <= entry.sourceMs || exit.sourceMs < ends - trade.stale_after_ms) return refund
  if (exit.price === entry.price) return { status: 'Draw', payout: trade.stake }
  const isUp = exit.price > entry.price
  if (isUp !== (trade.side === 'Buy')) return { status: 'Lost', payout: 0n }
  return { status: 'Won', payout: winOf(trade) }
}

export async function storedTrades(db: Db): Promise<StoredTrade[]> {
  const { rows } = await sql<StoredTrade>`
    select id, key, account_id, mode, symbol_id, source_kind, stale_after_ms, side, percent, stake, trade_time, end_time,
      status, payout, (extract(epoch from settled_at) * 1000)::float8 as settled_ms
    from trades`.execute(db)
  return rows
}

/** Returns the orders to sell trades, each trade's in their order. */
export async function storedSales(db: Db): Promise<StoredSale[]> {
  const { rows } = await sql<StoredSale>`
    select trade_id, account_id, at, minimum, outcome from sale_orders order by trade_id, at`.execute(db)
  return rows
}

/** A stored order that waits or has waited, with its stake in cents and its time in Unix ms. */
export interface StoredWaiting {
  id: bigint
  account_id: bigint
  side: 'Buy' | 'Sell'
  stake: bigint
  at_ms: bigint | null
  status: string
  trade_id: bigint | null
}

export async function storedWaiting(db: Db): Promise<StoredWaiting[]> {
  const { rows } = await sql<StoredWaiting>`
    select id, account_id, side, stake, at_ms, status, trade_id from waiting_orders`.execute(db)
  return rows
}
