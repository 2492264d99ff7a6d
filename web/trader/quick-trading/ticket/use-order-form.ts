import { useQuery } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Mode, StakeLimits, TradeSide } from '#contract/trading/trading.ts'
import {
  isAnswered,
  noteAnswer,
  queryClient,
  queryOf,
  type Trade,
  useMode,
  useOffered,
  useUser,
} from '#web/api/index.ts'
import { useWaitForm } from '../waiting/use-place-waiting.ts'
import type { WaitProblems } from '../waiting/wait.ts'
import { setOrderMode, useOrder } from './draft-order.ts'
import { type StakeMax, stakeMaxOf, stakeMaxWords } from './fields/stake-max.ts'
import { bodyOf, type OfferedOrder, type OrderProblems, orderProblems, shownStake, withOffered } from './order.ts'
import { useSubmitTrade } from './use-submit-trade.ts'

export interface OrderForm {
  order: OfferedOrder
  /** When other odds begin to be offered for it, if they do within a day. */
  oddsChangeMs: number | undefined
  mode: Mode
  /** Balance of the mode's account, US dollars. */
  balance: number
  /** The text of the stake field. */
  stake: string
  /** The largest stake that would be accepted, and the text of the binding limit. */
  max: StakeMax
  maxWords: string
  /** Why the symbol accepts no stake in this mode. */
  refused: string | undefined
  problems: OrderProblems
  isValid: boolean
  /** The side being submitted. */
  sending: TradeSide | undefined
  /** Places the order; the first one with real money after a sign-in asks first. */
  place: (side: TradeSide) => void
  /** What the order waits for, as text; undefined for an order placed now. */
  waits: string | undefined
  waitProblems: WaitProblems
  /** The side of the first live order, while the trader is asked about it. */
  asked: TradeSide | undefined
  answer: (agreed: boolean) => void
}

/** The draft order, its problems, and the function that places it. */
export function useOrderForm(openStake: number, onPlaced: (trade: Trade) => void): OrderForm {
  const draft = useOrder()
  const { symbol, duration, trading_type: tradingType } = draft
  const offered = useOffered({ symbol, tradingType, duration })
  const order = withOffered(draft, offered.pairs)
  const mode = useMode()
  const user = useUser()
  useLayoutEffect(() => setOrderMode(mode), [mode])
  const balance = mode === 'demo' ? user.demo_balance : user.balance
  const { submit, sending } = useSubmitTrade(onPlaced)
  const limits = useStakeLimits(mode, order.symbol, openStake)
  const max = stakeMaxOf(balance, limits)
  const problems = orderProblems(order, balance, max)
  const { waits, waitProblems, placeWaiting } = useWaitForm(mode, order.symbol)
  const isValid = Object.keys(problems).length === 0 && Object.keys(waitProblems).length === 0
  const [asked, setAsked] = useState<TradeSide>()
  const send = (side: TradeSide) => {
    const body = bodyOf(order, side, mode, balance)
    if (!placeWaiting(body)) submit(body)
  }
  return {
    order,
    oddsChangeMs: offered.changeMs,
    mode,
    balance,
    stake: shownStake(order, balance),
    max,
    maxWords: stakeMaxWords(max, limits),
    refused: limits?.refused,
    problems,
    isValid,
    sending,
    waits,
    waitProblems,
    place: (side) => {
      if (!isValid || sending !== undefined) return
      if (mode === 'real' && !isAnswered('trade')) setAsked(side)
      else send(side)
    },
    asked,
    answer: (agreed) => {
      setAsked(undefined)
      if (!agreed || asked === undefined || !isValid) return
      noteAnswer('trade')
      send(asked)
    },
  }
}

/** The limits of the next stake, reloaded whenever a stake is taken or released. */
function useStakeLimits(mode: Mode, symbol: string, openStake: number): StakeLimits | undefined {
  const { data } = useQuery(queryOf('GET /trading/limits', { query: { mode, symbol } }))
  const before = useRef(openStake)
  useEffect(() => {
    if (before.current === openStake) return
    before.current = openStake
    void queryClient.invalidateQueries({ queryKey: ['GET /trading/limits'] })
  }, [openStake])
  return data?.data
}
