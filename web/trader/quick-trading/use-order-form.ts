import type { Instrument, TradingType } from '#contract/prices.ts'
import type { Mode, Trade, TradeMode } from '#contract/trading.ts'
import { useMode, useUser } from '#web/api/index.ts'
import {
  bodyOf,
  type Order,
  type OrderProblems,
  orderProblems,
  setOrder,
  shownAmount,
  symbolFor,
  useOrder,
} from './order.ts'
import { useSubmitTrade } from './use-submit-trade.ts'

export interface OrderForm {
  order: Order
  mode: Mode
  /** US dollars of the mode's account. */
  balance: number
  /** What stands in the amount's field. */
  amount: string
  problems: OrderProblems
  isValid: boolean
  /** The side whose submission is under way. */
  sending: TradeMode | undefined
  place: (side: TradeMode) => void
  setTradingType: (type: TradingType) => void
}

/** The order as it is being made, its problems, and the way to place it. */
export function useOrderForm(instruments: readonly Instrument[], onPlaced: (trade: Trade) => void): OrderForm {
  const order = useOrder()
  const mode = useMode()
  const user = useUser()
  const balance = mode === 'demo' ? user.demo_balance : user.balance
  const { submit, sending } = useSubmitTrade(onPlaced)
  const problems = orderProblems(order, balance)
  const isValid = Object.keys(problems).length === 0
  return {
    order,
    mode,
    balance,
    amount: shownAmount(order, balance),
    problems,
    isValid,
    sending,
    place: (side) => {
      if (isValid) submit(bodyOf(order, side, mode, balance))
    },
    setTradingType: (type) => {
      if (type !== order.trading_type) {
        setOrder({ trading_type: type, symbol: symbolFor(type, order.symbol, instruments) })
      }
    },
  }
}
