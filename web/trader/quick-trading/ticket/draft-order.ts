import { create } from 'zustand'
import type { ScreenChoices } from '#contract/profile.ts'
import { choose } from '#web/api/index.ts'
import { DEFAULT_SYMBOL, dollarsOf } from '#web/ui/index.ts'
import { type Order, stakeProblem } from './order.ts'

const FIRST: Order = {
  trading_type: 'Cryptocurrency',
  symbol: DEFAULT_SYMBOL,
  duration: 60,
  strike_rate: 'best',
  stake: undefined,
}

/** The draft order, and the id of the user whose it is; `undefined` until what they chose before is known. */
export const useOrder = create<Order & { owner: string | undefined }>(() => ({ ...FIRST, owner: undefined }))

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
  useOrder.setState(order)
  const { stake, trading_type: _, ...change } = order
  const isStake = stake !== undefined && stakeProblem(stake, Number.POSITIVE_INFINITY) === undefined
  const kept = { ...change, ...(isStake && { amount: dollarsOf(stake)! }) }
  if (Object.keys(kept).length > 0) choose(kept)
}
