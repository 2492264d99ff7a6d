import type { Profit, StrikeRate, Trade } from '#contract/trading.ts'
import { assert } from '#kernel/assert.ts'
import { publicId } from '#kernel/id.ts'
import { usd, usdToNumber } from '#kernel/money.ts'
import { formatPrice, price } from '#kernel/price.ts'
import { toIso } from '#kernel/time.ts'
import { bookOf } from '../ledger/index.ts'
import type { Instruments } from '../prices/index.ts'
import type { Accepted } from './order.ts'
import type { TradeRow } from './store.ts'
import { RULE_VERSION } from './trade.ts'

/** The columns of a trade that its owner or an operator sees. */
export type ShownTradeRow = Pick<
  TradeRow,
  | 'id'
  | 'book'
  | 'symbol_id'
  | 'trade_mode'
  | 'strike_rate'
  | 'percent'
  | 'stake'
  | 'duration_seconds'
  | 'trade_time'
  | 'end_time'
  | 'rule_version'
  | 'status'
  | 'entry_price'
  | 'entry_time'
  | 'exit_price'
  | 'exit_time'
  | 'settled_at'
  | 'payout'
  | 'outcome_reason'
>

/** A stored trade as its owner sees it. */
export function toTrade(instruments: Instruments, row: ShownTradeRow): Trade {
  const instrument = instruments.byId(row.symbol_id)
  assert(instrument?.tradingType, 'a trade is on a traded symbol')
  const priceOf = (value: bigint | null) =>
    value === null ? undefined : Number(formatPrice(price(value), instrument.scale))
  const timeOf = (value: bigint | null) => (value === null ? undefined : toIso(Number(value)))
  return {
    trade_id: publicId(row.id),
    symbol: instrument.symbol,
    trading_type: instrument.tradingType,
    trade_mode: row.trade_mode,
    mode: row.book,
    amount: usdToNumber(usd(row.stake)),
    strike_rate: row.strike_rate as StrikeRate,
    percent: row.percent,
    duration: row.duration_seconds,
    status: row.status,
    trade_time: toIso(Number(row.trade_time)),
    end_time: toIso(Number(row.end_time)),
    start_price: priceOf(row.entry_price),
    start_time: timeOf(row.entry_time),
    end_price: priceOf(row.exit_price),
    exit_time: timeOf(row.exit_time),
    settled_at: row.settled_at?.toISOString(),
    payout: row.payout === null ? undefined : usdToNumber(usd(row.payout)),
    outcome_reason: row.outcome_reason ?? undefined,
    rule_version: row.rule_version,
  }
}

/** The same trade as it was at acceptance: the response to its submission, and to every repeat of it. */
export function toAcceptedTrade(instruments: Instruments, row: TradeRow): Trade {
  return toTrade(instruments, {
    ...row,
    status: 'Pending',
    entry_price: null,
    entry_time: null,
    exit_price: null,
    exit_time: null,
    settled_at: null,
    payout: null,
    outcome_reason: null,
  })
}

/** A newly committed order in the same shape, without reading it back. */
export function fromAccepted(instruments: Instruments, { order, tradeTime }: Accepted): Trade {
  return toTrade(instruments, {
    id: order.id,
    book: bookOf(order.accountId),
    symbol_id: order.symbolId,
    trade_mode: order.tradeMode,
    strike_rate: order.strikeRate,
    percent: order.percent,
    stake: order.stake,
    duration_seconds: order.durationSeconds,
    trade_time: BigInt(tradeTime),
    end_time: BigInt(tradeTime + order.durationSeconds * 1000),
    rule_version: RULE_VERSION,
    status: 'Pending',
    entry_price: null,
    entry_time: null,
    exit_price: null,
    exit_time: null,
    settled_at: null,
    payout: null,
    outcome_reason: null,
  })
}

/** A winning real trade, as the Earnings screen lists it. */
export function toProfit(instruments: Instruments, row: TradeRow): Profit {
  assert(row.status === 'Won' && row.payout !== null && row.settled_at, 'a profit comes from a trade that was won')
  return {
    profit_id: `P${publicId(row.id)}`,
    trade_id: publicId(row.id),
    symbol: instruments.byId(row.symbol_id)?.symbol ?? '',
    amount: usdToNumber(usd(row.stake)),
    profit: usdToNumber(usd(row.payout - row.stake)),
    earnings: usdToNumber(usd(row.payout)),
    createdAt: row.settled_at.toISOString(),
  }
}
