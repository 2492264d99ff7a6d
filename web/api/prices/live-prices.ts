import { useCallback, useSyncExternalStore } from 'react'
import type { FrameMessage } from '#contract/messages/push.ts'
import { noteTapeTime } from '../tape-clock.ts'

/** Without a newer price for that long, a symbol can't be traded, and what is shown is the last known, ms. */
export const STALE_AFTER_MS = 10_000

interface Live {
  price: string
  /** Source time, Unix ms. */
  time: number
  /** Direction of the last price change. */
  direction: 'up' | 'down' | undefined
}

const prices = new Map<string, Live>()
const listeners = new Map<string, Set<() => void>>()

/** Stores the prices of a frame and notifies subscribers. */
export function takeFrame(frame: FrameMessage): void {
  noteTapeTime(frame.t)
  for (const [symbol, price, time] of frame.p) {
    const before = prices.get(symbol)
    const change = before ? Number(price) - Number(before.price) : 0
    prices.set(symbol, { price, time, direction: change > 0 ? 'up' : change < 0 ? 'down' : before?.direction })
    for (const listener of listeners.get(symbol) ?? []) listener()
  }
}

/** Returns the latest price from the stream, if any. */
export const livePrice = (symbol: string): Live | undefined => prices.get(symbol)

/** Same, and re-renders with each frame that has the symbol. For small components only. */
export function useLivePrice(symbol: string): Live | undefined {
  const subscribe = useCallback(
    (listener: () => void) => {
      const ofSymbol = listeners.get(symbol) ?? new Set()
      listeners.set(symbol, ofSymbol.add(listener))
      return () => void ofSymbol.delete(listener)
    },
    [symbol],
  )
  return useSyncExternalStore(subscribe, () => prices.get(symbol))
}
