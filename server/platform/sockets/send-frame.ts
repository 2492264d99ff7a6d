import type { FrameEntry } from '#contract/messages/push.ts'
import type { PriceSource } from '#contract/prices/prices.ts'
import { type Listener, sendEncoded } from './listener.ts'
import { textMessage } from './socket-messages.ts'

/** A frame of the tape as sockets receive it. */
export interface PushedFrame {
  n: number
  t: number
  s?: PriceSource
  p: readonly FrameEntry[]
}

/** Sends each subscriber its part of a frame; each distinct part is serialised once. */
export function sendFrame(listeners: ReadonlySet<Listener>, { n, t, s, p }: PushedFrame): void {
  if (listeners.size === 0) return
  const source = s === undefined ? '' : `"s":"${s}",`
  const texts = new Map(p.map((entry) => [entry[0], JSON.stringify(entry)]))
  const parts = new Map<string, Buffer>()
  for (const listener of listeners) {
    if (listener.part === '') continue
    let bytes = parts.get(listener.part)
    if (!bytes) {
      const entries =
        listener.part === '*'
          ? [...texts.values()]
          : listener.part.split(' ').flatMap((symbol) => texts.get(symbol) ?? [])
      bytes = textMessage(`{"op":"frame","n":${n},"t":${t},${source}"p":[${entries.join(',')}]}`)
      parts.set(listener.part, bytes)
    }
    sendEncoded(listener, bytes)
  }
}
