import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Instrument, TradingType } from '#contract/prices.ts'
import type { Mode, StakeLimits, Trade, TradeMode } from '#contract/trading.ts'
import { queryClient, queryOf, useMode, useUser } from '#web/api/index.ts'
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
import { type StakeMax, stakeMaxOf, stakeMaxWords } from './stake-max.ts'
import { useSubmitTrade } from './use-submit-trade.ts'

export interface OrderForm {
  order: Order
  mode: Mode
  /** US dollars of the mode's account. */
  balance: number
  /** What stands in the amount's field. */
  amount: string
  /** The largest stake that would be accepted, and the limit that binds in words. */
  max: StakeMax
  maxWords: string
  problems: OrderProblems
  isValid: boolean
  /** The side whose submission is under way. */
  sending: TradeMode | undefined
  place: (side: TradeMode) => void
  setTradingType: (type: TradingType) => void
}

/** The order as it is being made, its problems, and the way to place it. */
export function useOrderForm(
  instruments: readonly Instrument[],
  openStake: number,
  onPlaced: (trade: Trade) => void,
): OrderForm {
  const order = useOrder()
  const mode = useMode()
  const user = useUser()
  const balance = mode === 'demo' ? user.demo_balance : user.balance
  const { submit, sending } = useSubmitTrade(onPlaced)
  const limits = useStakeLimits(mode, order.symbol, openStake)
  const max = stakeMaxOf(balance, limits)
  const problems = orderProblems(order, balance, max)
  const isValid = Object.keys(problems).length === 0
  return {
    order,
    mode,
    balance,
    amount: shownAmount(order, balance),
    max,
    maxWords: stakeMaxWords(max, limits),
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

/** The limits of the next stake, read again whenever a stake was taken or released. */
function useStakeLimits(mode: Mode, symbol: string, openStake: number): StakeLimits | undefined {
  const { data } = useQuery(queryOf('GET /trading/limits', { query: { mode, symbol } }))
  // biome-ignore lint/correctness/useExhaustiveDependencies: another open stake is what makes the limits old
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: ['GET /trading/limits'] })
  }, [openStake])
  return data?.data
}
