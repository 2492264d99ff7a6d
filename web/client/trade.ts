import type { TradeSide, Trade as WireTrade } from '#contract/trading/trading.ts'

type WireName = 'amount' | 'trade_mode' | 'start_price' | 'start_time' | 'end_price'

/** A trade by the names that screens, server and database share. */
export type Trade<Wire extends WireTrade = WireTrade> = Omit<Wire, WireName> & {
  /** US dollars. */
  stake: number
  side: TradeSide
  entry_price?: number | undefined
  entry_time?: string | undefined
  exit_price?: number | undefined
}

/** Renames the fields of a trade that are called something else on the wire. */
export function tradeOf<Wire extends WireTrade>(wire: Wire): Trade<Wire> {
  const { amount, trade_mode, start_price, start_time, end_price, ...rest } = wire
  return {
    ...rest,
    stake: amount,
    side: trade_mode,
    entry_price: start_price,
    entry_time: start_time,
    exit_price: end_price,
  }
}

/** Returns when a trade ended or ends: a sale ends it. */
export const endOf = ({ status, exit_time, end_time }: Pick<Trade, 'status' | 'exit_time' | 'end_time'>): string =>
  status === 'Sold' ? (exit_time ?? end_time) : end_time
