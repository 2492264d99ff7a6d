import { type Db, sql } from '#server/platform/database/db.ts'
import { readTicks } from '#server/prices/tape/read-ticks.ts'

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
 * Decides trades by the published rules (docs/flows/trade.md), independently of the product's code, so as not to repeat
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
    async verdictsOf(db: Db, trades: readonly StoredTrade[]): Promise<ReadonlyMap<bigint, Verdict>> {
      const open = trades.filter(({ id, status }) => status !== 'Pending' && !verdicts.has(id))
      for (const [symbolId, mine] of Map.groupBy(open, (trade) => trade.symbol_id)) {
        const ticks = await extend(db, symbolId, Math.min(...mine.map(({ trade_time }) => Number(trade_time))))
        for (const trade of mine) verdicts.set(trade.id, decide(trade, ticks))
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

/** Decides a trade from the ticks of its symbol, oldest first. */
export function decide(trade: StoredTrade, ticks: readonly Tick[]): Verdict {
  const [opened, ends] = [Number(trade.trade_time), Number(trade.end_time)]
  const refund = { status: 'Void', payout: trade.stake }
  const from = firstAfter(ticks, opened)
  const to = firstAfter(ticks, ends)
  const entry = ticks[from]
  if (!entry || entry.sourceMs > opened + ENTRY_WITHIN_MS) return refund
  if (ticks.slice(from, to).some(({ kind }) => kind !== trade.source_kind) || entry.kind !== trade.source_kind)
    return refund
  const exit = ticks[to - 1]
  if (!exit || exit.sourceMs <= entry.sourceMs || exit.sourceMs < ends - trade.stale_after_ms) return refund
  if (exit.price === entry.price) return { status: 'Draw', payout: trade.stake }
  const isUp = exit.price > entry.price
  if (isUp !== (trade.side === 'Buy')) return { status: 'Lost', payout: 0n }
  // Half a cent rounds up.
  const profit = (trade.stake * BigInt(trade.percent) + 50n) / 100n
  return { status: 'Won', payout: trade.stake + profit }
}

export async function storedTrades(db: Db): Promise<StoredTrade[]> {
  const { rows } = await sql<StoredTrade>`
    select id, key, account_id, mode, symbol_id, source_kind, stale_after_ms, side, percent, stake, trade_time, end_time,
      status, payout, (extract(epoch from settled_at) * 1000)::float8 as settled_ms
    from trades`.execute(db)
  return rows
}
