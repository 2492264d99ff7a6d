import { useRef, useState } from 'react'
import type { SubmitTradeBody, TradeSide } from '#contract/trading/trading.ts'
import {
  CallError,
  call,
  newKey,
  pressTime,
  queryClient,
  queryOf,
  readUser,
  type Trade,
  takeTrade,
  tradeOf,
  updateUser,
  useRequest,
  useStore,
  useTradeStore,
  useUserMessages,
} from '#web/api/index.ts'
import { roundToCents, toast } from '#web/ui/index.ts'

/** Two presses of the same order within this time count as one: a double click is one trade. */
const DOUBLE_PRESS_MS = 500
/**
 * The server places no order later than 2 s after its press. A rejection before that isn't final if an earlier request
 * for the same order got lost: it may still be placed.
 */
const FINAL_AFTER_MS = 2_500
const SAFE_TO_REPEAT = 'Try again: the same order is never placed twice.'

/** No response, or one that says nothing about the order: it may have been placed. */
const isUncertain = (error: unknown): boolean =>
  error instanceof CallError && (error.status === undefined || error.status === 503)

/**
 * Places a trade: one press, one trade, whatever happens to the response. The client retries a lost response under the
 * same key. If it stays lost, the key is kept for the next press of the same order, so that it can't become a second
 * trade.
 */
export function useSubmitTrade(onPlaced: (trade: Trade) => void) {
  const [side, setSide] = useState<TradeSide>()
  const kept = useRef<{ order: string; key: string }>(undefined)
  const balancesHeard = useRef(0)
  const pressed = useRef({ order: '', at: Number.NEGATIVE_INFINITY })
  useUserMessages((message) => {
    if (message.op === 'balance') balancesHeard.current++
  })
  const { loading, run } = useRequest((message, error) => {
    toast.error(isUncertain(error) ? `${message.replace(/\.?$/, '.')} ${SAFE_TO_REPEAT}` : message)
  })

  async function send(order: string, body: SubmitTradeBody): Promise<void> {
    const key = kept.current?.order === order ? kept.current.key : newKey()
    const heardBefore = balancesHeard.current
    try {
      const { data } = await call('POST /trading/submit', { body, key, finalAfterMs: FINAL_AFTER_MS })
      const placed = tradeOf(data)
      kept.current = undefined
      const isKnown = useTradeStore.getState().list.some((trade) => trade.trade_id === placed.trade_id)
      // If a balance arrived by message meanwhile, the stake is already deducted from it.
      if (balancesHeard.current === heardBefore) {
        // A trade that is already in the list may have been loaded with or without its balance.
        if (isKnown) void readUser()
        else lowerBalance(placed)
      }
      takeTrade(placed)
      onPlaced(placed)
    } catch (error) {
      kept.current = isUncertain(error) ? { order, key } : undefined
      // A rejection can mean that this screen's data is out of date.
      if (error instanceof CallError && error.code === 'insufficient_balance') void readUser()
      if (error instanceof CallError && error.code === 'reality_check_due') {
        void queryClient.invalidateQueries({ queryKey: queryOf('GET /guardrails').queryKey })
      }
      if (error instanceof CallError && error.code === 'price_unavailable') {
        void queryClient.invalidateQueries({ queryKey: ['GET /prices/instruments'] })
      }
      if (error instanceof CallError && (error.code === 'price_unavailable' || error.code === 'limit_reached')) {
        void queryClient.invalidateQueries({ queryKey: ['GET /trading/limits'] })
      }
      throw error
    }
  }

  function submit(body: SubmitTradeBody): void {
    const now = performance.now()
    const order = JSON.stringify(body)
    if (order === pressed.current.order && now - pressed.current.at < DOUBLE_PRESS_MS) return
    pressed.current = { order, at: now }
    setSide(body.trade_mode)
    // Every retry carries the time of this press.
    const pressed_at = pressTime()
    void run(() => send(order, pressed_at === undefined ? body : { ...body, pressed_at }))
  }

  return { submit, sending: loading ? side : undefined }
}

/** Deducts the stake from the mode's balance immediately; the stream's message with the exact balance follows. */
function lowerBalance({ mode, stake }: Trade): void {
  const user = useStore.getState().auth.user_data
  if (!user) return
  const after = (balance: number) => roundToCents(balance - stake)
  updateUser(mode === 'demo' ? { demo_balance: after(user.demo_balance) } : { balance: after(user.balance) })
}
