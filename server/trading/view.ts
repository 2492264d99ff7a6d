import { WAITING_KEYS } from '#contract/endpoint.ts'
import type { AcceptedTrade, Profit, Trade } from '#contract/trading/trading.ts'
import { assert } from '#kernel/assert.ts'
import { publicId } from '#kernel/id.ts'
import { floatOfPrice } from '#kernel/price.ts'
import { SALE_RULE } from '#kernel/sale-value.ts'
import { toIso } from '#kernel/time.ts'
import { modeOf } from '../ledger/index.ts'
import type { Instruments, Tick } from '../prices/index.ts'
import type { Accepted } from './acceptance/order.ts'
import { type OrderRow, orderHash, orderOf } from './order-hash.ts'
import type { SaleJson, ShownTradeRow, TradeRow, Whole } from './store.ts'
import { RULE_VERSION } from './trade.ts'

/** A stored trade as its owner sees it. */
export function toTrade(instruments: Instruments, row: ShownTradeRow): Trade {
  const instrument = instruments.byId(row.symbol_id)
  assert(instrument?.tradingType, 'a trade is on a traded symbol')
  const { scale } = instrument
  const priceOf = (units: Whole | null) => (units === null ? undefined : floatOfPrice(Number(units), scale))
  return {
    trade_id: publicId(row.id),
    symbol: instrument.symbol,
    trading_type: instrument.tradingType,
    trade_mode: row.side,
    mode: row.mode,
    amount: dollarsOf(row.stake),
    strike_rate: row.strike_rate,
    percent: row.percent,
    duration: row.duration_seconds,
    status: row.status,
    trade_time: toIso(Number(row.trade_time)),
    end_time: toIso(Number(row.end_time)),
    start_price: priceOf(row.entry_price),
    start_time: timeOf(row.entry_time),
    end_price: priceOf(row.exit_price),
    exit_time: timeOf(row.exit_time),
    settled_at: timeOf(row.settled_at),
    payout: row.payout === null ? undefined : dollarsOf(row.payout),
    outcome_reason: row.outcome_reason ?? undefined,
    rule_version: row.rule_version,
    ...(row.price_list !== null && { price_list: row.price_list }),
    ...(row.sale_rule !== null && { sale_rule: row.sale_rule }),
    ...(row.sale && { sale: toSale(row.sale) }),
    signal: row.signal === null ? undefined : String(row.signal),
    ...(row.key?.startsWith(WAITING_KEYS) && { waiting_order: row.key.slice(WAITING_KEYS.length) }),
    ...(row.note != null && { note: row.note }),
    ...(row.tags != null && { tags: row.tags }),
  }
}

const toSale = ([at, minimum, outcome, says, fee]: SaleJson): Trade['sale'] => ({
  at: toIso(at),
  minimum: dollarsOf(minimum),
  ...(outcome !== null && { outcome }),
  ...(says !== null && { reason: says }),
  ...(fee !== null && { fee: dollarsOf(fee) }),
})

const timeOf = (time: Whole | Date | null) => (time === null ? undefined : toIso(Number(time)))
const dollarsOf = (cents: Whole) => Number(cents) / 100

/** The same trade as it was at acceptance: the response to its submission, and to every repeat of it. */
export function toAcceptedTrade(instruments: Instruments, row: TradeRow): AcceptedTrade {
  const trade = toTrade(instruments, {
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
  return { ...trade, ...hashIn(instruments, row) }
}

/** The trade as it is now, with the hash of its order. */
export const toOneTrade = (instruments: Instruments, row: TradeRow): AcceptedTrade => ({
  ...toTrade(instruments, row),
  ...hashIn(instruments, row),
})

/** A trade from before orders were bound has no salt. */
const hashIn = (instruments: Instruments, row: TradeRow): Pick<AcceptedTrade, 'order_hash'> =>
  row.salt === null ? {} : { order_hash: hashOf(instruments, { ...row, salt: row.salt.toString('hex') }) }

const hashOf = (instruments: Instruments, row: OrderRow): string => orderHash(orderOf(row, instruments))

/** The response to a newly committed order, without reading it back. */
export const acceptedReply = (instruments: Instruments, accepted: Accepted): AcceptedTrade => ({
  ...fromAccepted(instruments, accepted),
  order_hash: hashOf(instruments, rowOf(accepted)),
})

const rowOf = ({ order, tradeTime }: Accepted) => ({
  id: order.id,
  mode: modeOf(order.accountId),
  symbol_id: order.symbolId,
  source_kind: order.sourceKind,
  stale_after_ms: order.staleAfterMs,
  side: order.side,
  strike_rate: order.strikeRate,
  percent: order.percent,
  stake: order.stake,
  duration_seconds: order.durationSeconds,
  trade_time: BigInt(tradeTime),
  rule_version: RULE_VERSION,
  price_list: order.offer.version,
  key: order.key ?? null,
  salt: order.salt,
})

/** A newly committed order in the same shape, without reading it back. */
export function fromAccepted(instruments: Instruments, accepted: Accepted): Trade {
  const { order, tradeTime } = accepted
  return toTrade(instruments, {
    ...rowOf(accepted),
    end_time: BigInt(tradeTime + order.durationSeconds * 1000),
    status: 'Pending',
    entry_price: null,
    entry_time: null,
    exit_price: null,
    exit_time: null,
    settled_at: null,
    payout: null,
    outcome_reason: null,
    signal: order.signal ?? null,
    sale_rule: SALE_RULE,
  })
}

/** The trade with its entry, a tick of the tape. */
export const withEntry = (trade: Trade, entry: Pick<Tick, 'price' | 'scale' | 'sourceMs'>): Trade => ({
  ...trade,
  start_price: floatOfPrice(Number(entry.price), entry.scale),
  start_time: toIso(entry.sourceMs),
})

/** A winning real trade, or one that was sold for more than its stake, as the Earnings screen lists it. */
export function toProfit(instruments: Instruments, row: ShownTradeRow): Profit {
  const isGain = row.status === 'Won' || row.status === 'Sold'
  assert(isGain && row.payout !== null && row.settled_at, 'a profit comes from a trade that was won or sold')
  return {
    profit_id: `P${publicId(row.id)}`,
    trade_id: publicId(row.id),
    symbol: instruments.byId(row.symbol_id)?.symbol ?? '',
    amount: dollarsOf(row.stake),
    profit: dollarsOf(BigInt(row.payout) - BigInt(row.stake)),
    earnings: dollarsOf(row.payout),
    createdAt: toIso(Number(row.settled_at)),
  }
}
