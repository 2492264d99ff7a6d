import { useStreamStatus } from '../hooks.ts'
import { tapeNow, useTapeSecond } from '../tape-clock.ts'
import { STALE_AFTER_MS, useLivePrice } from './live-prices.ts'

/** What this browser knows of a symbol's price. */
export interface Known {
  price: string | undefined
  /** The tape's time, Unix ms; once prices have stopped, the time of the last one, if there is one. */
  nowMs: number | undefined
  /** There is no connection, or no price for ten seconds: nothing counts on. */
  isLast: boolean
}

/** Whether prices have stopped: there is no connection, or the last price is ten seconds old. */
export const isStopped = (last: { time: number } | undefined, isDown: boolean, nowMs: number): boolean =>
  isDown || (last !== undefined && nowMs - last.time > STALE_AFTER_MS)

/** The same for a symbol; re-renders with its price and every second. For small components only. */
export function useKnown(symbol: string): Known {
  useTapeSecond()
  const live = useLivePrice(symbol)
  const isDown = useStreamStatus() === 'down'
  const isLast = isStopped(live, isDown, tapeNow())
  return { price: live?.price, nowMs: isLast ? live?.time : tapeNow(), isLast }
}
