import type { TradeSide } from '#contract/trading/trading.ts'
import { must } from '#kernel/must.ts'
import { type Db, type Snapshot, sql, type Tx } from '../platform/database/db.ts'
import type { Instrument, Instruments, Tape } from '../prices/index.ts'
import { entrySql } from '../trading/index.ts'
import type { OpenTrades, PricedSymbol } from './worst-loss.ts'

export interface CountedPrices {
  tape: Pick<Tape, 'latest'>
  instruments: Pick<Instruments, 'current'>
}

/**
 * How coarsely trades are counted together: entries within a part of the price, ends within a time. A group never
 * counts as less than its trades.
 */
const GRAINS: readonly { parts: bigint | undefined; endMs: number }[] = [
  { parts: undefined, endMs: 1 },
  { parts: 100_000n, endMs: 1_000 },
  { parts: 10_000n, endMs: 5_000 },
]
export const COARSEST = GRAINS.length - 1

/** Returns the open real trades in groups, and the symbols with their prices now. */
export async function countBook(
  db: Db | Tx | Snapshot,
  { tape, instruments }: CountedPrices,
  grain = 0,
): Promise<{ book: OpenTrades[]; prices: PricedSymbol[] }> {
  const traded = instruments.current()
  const newest = traded.map(({ symbol }) => tape.latest(symbol)?.price)
  const { parts, endMs } = must(GRAINS[grain])
  const steps = newest.map((price) => (parts === undefined || price === undefined ? 1n : price / parts || 1n))
  const { rows } = await sql<Row>`
    with open as materialized (
      -- All orders of a batch have one time, and so one entry.
      select t.symbol_id, t.side, t.trade_time, t.end_time, t.entry_price, sum(t.stake) as stake,
        sum((t.stake * t.percent + 50) / 100) as profit
      from trades t where t.status = 'Pending' and t.mode = 'real'
      group by t.symbol_id, t.side, t.trade_time, t.end_time, t.entry_price
    ), entered as (
      select o.*, coalesce(o.entry_price, e.price) as entry
      from open o left join lateral (${sql.raw(entrySql('o'))}) e on o.entry_price is null
    )
    select e.symbol_id, e.side, sum(e.stake)::float8 as stake, sum(e.profit)::float8 as profit,
      (case e.side when 'Buy' then min(e.entry) else max(e.entry) end)::float8 as entry,
      min(e.end_time)::float8 as first_end, max(e.end_time)::float8 as last_end
    from entered e left join unnest(${traded.map(({ id }) => id)}::smallint[], ${steps}::bigint[]) as s(symbol_id, step) using (symbol_id)
    group by e.symbol_id, e.side, e.entry is null, e.entry / coalesce(s.step, 1), e.end_time / ${sql.lit(endMs)}`.execute(
    db,
  )
  const byId = new Map(traded.map((one) => [one.id, one]))
  return {
    book: rows.map((row) => toGroup(row, byId.get(row.symbol_id))),
    prices: traded.map(({ symbol, base, quote }, place) => {
      const price = newest[place]
      return { symbol, base, quote, price: price === undefined ? null : Number(price) }
    }),
  }
}

interface Row {
  symbol_id: number
  side: TradeSide
  stake: number
  profit: number
  entry: number | null
  first_end: number
  last_end: number
}

const toGroup = (row: Row, instrument: Instrument | undefined): OpenTrades => ({
  symbol: instrument?.symbol ?? `#${row.symbol_id}`,
  side: row.side,
  stake: row.stake,
  profit: row.profit,
  entry: row.entry,
  firstEnd: row.first_end,
  lastEnd: row.last_end,
})
