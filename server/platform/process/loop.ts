import { after } from './beat.ts'
import type { Log } from './log.ts'

export interface Loop {
  /** Starts the next round now, or right after the current one, without waiting for the rest of the pause. */
  wake(): void
  /** Ends the loop after the current round. */
  stop(): Promise<void>
}

/**
 * Repeats `work` with a pause between rounds, in milliseconds, asked for after each; a pause of a second or more ends with
 * the nearest beat. A failing round is logged and doesn't end the loop; while it keeps failing, pauses grow to at most 2 s.
 */
export function startLoop(name: string, pauseMs: number | (() => number), log: Log, work: () => Promise<void>): Loop {
  let stopped = false
  let woken = false
  let failures = 0
  let endPause: (() => void) | undefined

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const cancel = after(ms, resolve)
      endPause = () => {
        cancel()
        resolve()
      }
    })

  const running = (async () => {
    while (!stopped) {
      woken = false
      try {
        await work()
        failures = 0
      } catch (error) {
        failures++
        log.error({ loop: name, error: error instanceof Error ? error.message : String(error) }, 'a round failed')
      }
      if (stopped) return
      if (woken && failures === 0) continue
      const usual = typeof pauseMs === 'number' ? pauseMs : pauseMs()
      await pause(failures === 0 ? usual : Math.min(2_000, Math.max(usual, 100 * 2 ** Math.min(failures, 6))))
    }
  })()

  return {
    wake() {
      woken = true
      if (failures === 0) endPause?.()
    },
    async stop() {
      stopped = true
      endPause?.()
      await running
    },
  }
}
