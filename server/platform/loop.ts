import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log.ts'

export interface Loop {
  /** Starts the next round now, or right after the current one, without waiting for the rest of the pause. */
  wake(): void
  /** Ends the loop after the current round. */
  stop(): Promise<void>
}

/**
 * Repeats `work` with a pause between rounds, in milliseconds, asked for after each. A failing round is logged and doesn't end the loop; while it keeps
 * failing, pauses grow to at most 2 s.
 */
export function startLoop(name: string, pauseMs: number | (() => number), log: Log, work: () => Promise<void>): Loop {
  const stopped = new AbortController()
  let woken = false
  let wakeUp: (() => void) | undefined
  let failures = 0

  const running = (async () => {
    while (!stopped.signal.aborted) {
      woken = false
      try {
        await work()
        failures = 0
      } catch (error) {
        failures++
        log.error({ loop: name, error: error instanceof Error ? error.message : String(error) }, 'a round failed')
      }
      if (stopped.signal.aborted) return
      if (woken && failures === 0) continue
      const usual = typeof pauseMs === 'number' ? pauseMs : pauseMs()
      const pause = failures === 0 ? usual : Math.min(2_000, Math.max(usual, 100 * 2 ** Math.min(failures, 6)))
      await Promise.race([
        sleep(pause, undefined, { signal: stopped.signal }).catch(() => undefined),
        new Promise<void>((resolve) => {
          wakeUp = failures === 0 ? resolve : undefined
        }),
      ])
    }
  })()

  return {
    wake() {
      woken = true
      wakeUp?.()
    },
    async stop() {
      stopped.abort()
      await running
    },
  }
}
