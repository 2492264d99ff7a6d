import { useEffect, useRef } from 'react'
import type { Mode } from '#contract/terms.ts'
import type { SubmitTradeBody } from '#contract/trading/trading.ts'
import type { WaitingOrderBody } from '#contract/trading/waiting.ts'
import { CallError, livePrice, newKey, tapeNow, useRequest } from '#web/api/index.ts'
import { toast, waitingWords } from '#web/ui/index.ts'
import { placeWaiting } from './use-waiting.ts'
import { placeNow, useWait, waitingBody, waitTerms } from './wait.ts'

/** When the order is placed: what it waits for, what is wrong with it, and the function that places one that waits. */
export function useWaitForm(mode: Mode, symbol: string) {
  const wait = useWait()
  const { place } = usePlaceWaiting()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another symbol or account begins with now
  useEffect(placeNow, [mode, symbol])
  const read = () => waitTerms(wait, livePrice(symbol)?.price, tapeNow())
  const terms = read()
  return {
    /** What the order waits for, as text; undefined for an order placed now. */
    waits: terms && 'terms' in terms ? waitingWords(terms.terms) : undefined,
    waitProblems: terms && 'problems' in terms ? terms.problems : {},
    /** Places an order that waits. Returns whether it waits. */
    placeWaiting(order: SubmitTradeBody): boolean {
      // As it was shown: a price that moves past the level meanwhile doesn't turn 'above' into 'below'.
      const pressed = wait.when === 'time' ? read() : terms
      if (pressed && 'terms' in pressed) place(waitingBody(order, pressed.terms))
      return pressed !== undefined
    },
  }
}

/** Places an order that waits: one press, one order, whatever happens to the response. */
function usePlaceWaiting() {
  const kept = useRef<{ order: string; key: string }>(undefined)
  const { loading, run } = useRequest((message) => toast.error(message))
  const place = (body: WaitingOrderBody) => {
    if (loading) return
    const order = JSON.stringify(body)
    if (kept.current?.order !== order) kept.current = { order, key: newKey() }
    const { key } = kept.current
    void run(async () => {
      try {
        const placed = await placeWaiting(body, key)
        kept.current = undefined
        placeNow()
        toast.success(`Waiting: ${placed.trade_mode} ${placed.symbol} ${waitingWords(placed)}.`)
      } catch (error) {
        // Without an answer it may have been placed: the next press of the same order uses the same key.
        if (error instanceof CallError && error.status !== undefined && error.status !== 503) kept.current = undefined
        throw error
      }
    })
  }
  return { place }
}
