import type { ClientMessage, FrameMessage } from '#contract/messages/push.ts'

const MAX_SYMBOLS_A_MESSAGE = 200

type FrameListener = (frame: FrameMessage) => void

/** Who listens to the frames of which symbols. */
interface FrameListeners {
  isEmpty: () => boolean
  /** Calls the listener with its part of each frame; returns a function that ends it, and returns whether it did. */
  add: (symbols: readonly string[], listener: FrameListener) => () => boolean
  deliver: (frame: FrameMessage) => void
  /** Subscribes to all symbols that anyone wants. */
  subscribeAll: () => void
}

export function createFrameListeners(send: (message: ClientMessage) => void): FrameListeners {
  const listeners = new Map<FrameListener, readonly string[]>()
  const wanted = new Map<string, number>()

  function sendSymbols(op: 'subscribe' | 'unsubscribe', symbols: readonly string[]): void {
    for (let at = 0; at < symbols.length; at += MAX_SYMBOLS_A_MESSAGE) {
      send({ op, symbols: symbols.slice(at, at + MAX_SYMBOLS_A_MESSAGE) })
    }
  }

  function want(symbols: readonly string[]): void {
    const added = symbols.filter((symbol) => {
      const count = wanted.get(symbol) ?? 0
      wanted.set(symbol, count + 1)
      return count === 0
    })
    sendSymbols('subscribe', added)
  }

  function unwant(symbols: readonly string[]): void {
    const removed = symbols.filter((symbol) => {
      const count = (wanted.get(symbol) ?? 0) - 1
      if (count > 0) wanted.set(symbol, count)
      else wanted.delete(symbol)
      return count <= 0
    })
    sendSymbols('unsubscribe', removed)
  }

  return {
    isEmpty: () => listeners.size === 0,
    add(symbols, listener) {
      // A separate wrapper for each subscription: the same function may subscribe twice.
      const own = (frame: FrameMessage) => listener(frame)
      listeners.set(own, symbols)
      want(symbols)
      return () => {
        const isGone = listeners.delete(own)
        if (isGone) unwant(symbols)
        return isGone
      }
    },
    deliver(frame) {
      for (const [listener, symbols] of [...listeners]) {
        const entries = symbols.includes('*') ? frame.p : frame.p.filter(([symbol]) => symbols.includes(symbol))
        if (entries.length > 0) listener({ ...frame, p: entries })
      }
    },
    subscribeAll: () => sendSymbols('subscribe', [...wanted.keys()]),
  }
}
