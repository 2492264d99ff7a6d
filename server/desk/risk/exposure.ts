import type { DeskExposure } from '#contract/desk/exposure.ts'
import { assert } from '#kernel/assert.ts'
import { usd, usdToNumber } from '#kernel/money.ts'
import { formatPrice } from '#kernel/price.ts'
import { toIso } from '#kernel/time.ts'
import type { Book } from '../../ledger/index.ts'
import { sql } from '../../platform/db.ts'
import type { DeskDeps } from '../deps.ts'

interface Row {
  symbol_id: number
  trade_mode: 'Buy' | 'Sell'
  trades: number
  stake: bigint
  pays: bigint
}

/**
 * Returns open stakes by symbol and side, and the payout if every trade ended at the latest price. A trade without an
 * entry or a price counts as refunded.
 */
export async function exposure({ db, prices }: Pick<DeskDeps, 'db' | 'prices'>, book: Book): Promise<DeskExposure[]> {
  const { tape, instruments } = prices
  const traded = instruments.list.filter((instrument) => instrument.tradingType !== null)
  const newest = traded.map((instrument) => tape.latest(instrument.symbol))
  const { rows } = await sql<Row>`
    select t.symbol_id, t.trade_mode, count(*)::int as trades, sum(t.stake)::bigint as stake, sum(case
        when t.entry_price is null or p.price is null or p.price = t.entry_price then t.stake
        when (p.price > t.entry_price) = (t.trade_mode = 'Buy') then t.stake + (t.stake * t.percent + 50) / 100
        else 0 end)::bigint as pays
    from trades t
      left join unnest(${traded.map((one) => one.id)}::smallint[], ${newest.map((tick) => tick?.price ?? null)}::bigint[])
        as p(symbol_id, price) on p.symbol_id = t.symbol_id
    where t.status = 'Pending' and t.book = ${book}
    group by t.symbol_id, t.trade_mode`.execute(db)
  const limits = await db.selectFrom('symbol_open').select(['symbol_id', 'open_max']).execute()
  const sideOf = (symbolId: number, side: 'Buy' | 'Sell') => {
    const row = rows.find((one) => one.symbol_id === symbolId && one.trade_mode === side)
    return { trades: row?.trades ?? 0, stake: row?.stake ?? 0n, pays: row?.pays ?? 0n }
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
      open_max: limit && book === 'real' ? usdToNumber(usd(limit.open_max)) : null,
    }
  })
}

const inDollars = ({ trades, stake, pays }: { trades: number; stake: bigint; pays: bigint }) => ({
  trades,
  stake: usdToNumber(usd(stake)),
  pays: usdToNumber(usd(pays)),
})
