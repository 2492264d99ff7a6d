import { create } from 'zustand'
import type { ScreenChoices } from '#contract/account/profile.ts'
import type { Mode, TradeSide } from '#contract/trading/trading.ts'
import { must } from '#kernel/must.ts'
import { choose } from '#web/api/index.ts'
import { DEFAULT_SYMBOL, dollarsOf } from '#web/ui/index.ts'
import { DEFAULT_STAKE, type Order, stakeProblem } from './order.ts'

const FIRST: Order = {
  trading_type: 'Cryptocurrency',
  symbol: DEFAULT_SYMBOL,
  duration: 60,
  strike_rate: 'best',
  stake: undefined,
}

interface Draft extends Order {
  /** The id of the user whose it is; `undefined` until what they chose before is known. */
  owner: string | undefined
  /** The side of the trade that it repeats, until something changes. */
  meant: TradeSide | undefined
  /** The account mode that it was made in. */
  mode: Mode | undefined
}

/** The draft order. */
export const useOrder = create<Draft>(() => ({ ...FIRST, owner: undefined, meant: undefined, mode: undefined }))

/** Begins with what the user chose before. */
export const openOrder = (owner: string, { symbol, duration, strike_rate, amount }: ScreenChoices): void =>
  useOrder.setState({
    ...FIRST,
    owner,
    ...(symbol && { symbol }),
    ...(duration && { duration }),
    ...(strike_rate && { strike_rate }),
    lastStake: amount,
  })

/** Changes the order, and keeps with the account what may be placed. */
export function setOrder(order: Partial<Order>): void {
  useOrder.setState({ ...order, meant: undefined })
  const { stake, trading_type: _, ...change } = order
  const isStake = stake !== undefined && stakeProblem(stake, Number.POSITIVE_INFINITY) === undefined
  const kept = { ...change, ...(isStake && { amount: must(dollarsOf(stake)) }) }
  if (Object.keys(kept).length > 0) choose(kept)
}

/** Follows the account mode. A stake that was typed for practice is not one for real money: live begins with the default. */
export function setOrderMode(mode: Mode): void {
  const before = useOrder.getState().mode
  if (before === mode) return
  const isFromDemo = before === 'demo'
  useOrder.setState({ mode, meant: undefined, ...(isFromDemo && { stake: undefined, lastStake: undefined }) })
  if (isFromDemo) choose({ amount: DEFAULT_STAKE })
}
