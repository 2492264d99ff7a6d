import type { DeskExposure } from '#contract/desk/markets/exposure.ts'
import type { Mode, TradeSide } from '#contract/trading/trading.ts'
import { assert } from '#kernel/assert.ts'
import { smaller, subtract, type Usd, usd, usdToNumber, ZERO_USD } from '#kernel/money.ts'
import { formatPrice } from '#kernel/price.ts'
import { toIso } from '#kernel/time.ts'
import { sql } from '../../platform/database/db.ts'
import { entrySql } from '../../trading/index.ts'
import type { DeskDeps } from '../deps.ts'

interface Row {
  symbol_id: number
  side: TradeSide
  trades: number
  stake: Usd
  pays: Usd
  /** What it wins if every trade of the side wins. */
  profit: Usd
}

/**
 * Returns open stakes by symbol and side, and the payout if every trade ended at the latest price. A trade without an
 * entry or a price counts as refunded.
 */
export async function exposure({ db, prices }: Pick<DeskDeps, 'db' | 'prices'>, mode: Mode): Promise<DeskExposure[]> {
  const { tape, instruments } = prices
  const traded = instruments.current().filter((instrument) => instrument.tradingType !== null)
  const newest = traded.map((instrument) => tape.latest(instrument.symbol))
  const { rows } = await sql<Row>`
    select t.symbol_id, t.side, count(*)::int as trades, sum(t.stake)::bigint as stake, sum(case
        when e.price is null or p.price is null or p.price = e.price then t.stake
        when (p.price > e.price) = (t.side = 'Buy') then t.stake + (t.stake * t.percent + 50) / 100
        else 0 end)::bigint as pays, sum((t.stake * t.percent + 50) / 100)::bigint as profit
    from trades t
      left join unnest(${traded.map((one) => one.id)}::smallint[], ${newest.map((tick) => tick?.price ?? null)}::bigint[])
        as p(symbol_id, price) on p.symbol_id = t.symbol_id
      left join lateral (${sql.raw(entrySql('t'))}) tick on t.entry_price is null
      cross join lateral (values (coalesce(t.entry_price, tick.price))) e(price)
    where t.status = 'Pending' and t.mode = ${mode}
    group by t.symbol_id, t.side`.execute(db)
  const limits = await db.selectFrom('symbol_open').select(['symbol_id', 'open_max']).execute()
  const sideOf = (symbolId: number, side: TradeSide) => {
    const row = rows.find((one) => one.symbol_id === symbolId && one.side === side)
    return {
      trades: row?.trades ?? 0,
      stake: row?.stake ?? ZERO_USD,
      pays: row?.pays ?? ZERO_USD,
      profit: row?.profit ?? ZERO_USD,
    }
  }
  return traded.flatMap(({ id, symbol, tradingType, scale }, place) => {
    const buy = sideOf(id, 'Buy')
    const sell = sideOf(id, 'Sell')
    const limit = limits.find((row) => row.symbol_id === id)
    if (buy.trades + sell.trades === 0) return []
    assert(tradingType, 'a trade is on a traded symbol')
    const tick = newest[place]
    return {
      symbol,
      trading_type: tradingType,
      ...(tick ? { price: formatPrice(tick.price, scale), price_time: toIso(tick.sourceMs) } : {}),
      status: tape.status(symbol).status,
      buy: inDollars(buy),
      sell: inDollars(sell),
      house_now: usdToNumber(usd(buy.stake + sell.stake - buy.pays - sell.pays)),
      house_worst: usdToNumber(worst(buy, sell)),
      open_max: limit?.open_max != null && mode === 'real' ? usdToNumber(limit.open_max) : null,
    }
  })
}

/** The loss of the house if all trades ended on the side that costs it more: it keeps the stakes of the other. */
function worst(buy: Pick<Row, 'stake' | 'profit'>, sell: Pick<Row, 'stake' | 'profit'>): Usd {
  return smaller(ZERO_USD, smaller(subtract(sell.stake, buy.profit), subtract(buy.stake, sell.profit)))
}

const inDollars = ({ trades, stake, pays }: { trades: number; stake: Usd; pays: Usd }) => ({
  trades,
  stake: usdToNumber(stake),
  pays: usdToNumber(pays),
})
