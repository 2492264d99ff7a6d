import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { FrameMessage, UserMessage } from '#contract/messages/push.ts'
import type { StreamStatus } from '#web/client/index.ts'
import { stream } from './browser.ts'

/**
 * Calls `onFrame` with every frame that has one of these symbols (`['*']` for all), reduced to them. This can happen
 * four times a second: write to a ref or a chart, and set state only for what is shown.
 */
export function useFrame(symbols: readonly string[], onFrame: (frame: FrameMessage) => void): void {
  const latest = useLatest(onFrame)
  const key = symbols.join(' ')
  useEffect(
    () => (key === '' ? undefined : stream.subscribe(key.split(' '), (frame) => latest.current(frame))),
    [key, latest],
  )
}

/** Calls `onMessage` with messages for the signed-in user, and `onGap` when some may have been missed. */
export function useUserMessages(onMessage: (message: UserMessage) => void, onGap?: () => void): void {
  const message = useLatest(onMessage)
  const gap = useLatest(onGap)
  useEffect(() => {
    const ends = [stream.onUserMessage((received) => message.current(received)), stream.onGap(() => gap.current?.())]
    return () => {
      for (const end of ends) end()
    }
  }, [message, gap])
}

/** Whether prices are arriving: `connecting`, `open` or `down`. */
export const useStreamStatus = (): StreamStatus =>
  useSyncExternalStore(stream.onStatus, stream.status, () => 'connecting' as const)

/** Returns a ref with the latest value, for callbacks that must not restart a subscription. */
function useLatest<T>(value: T) {
  const ref = useRef(value)
  useEffect(() => {
    ref.current = value
  })
  return ref
}
