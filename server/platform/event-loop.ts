import { monitorEventLoopDelay } from 'node:perf_hooks'

/**
 * Measures the delay of this process's event loop, which delays frames, settlement and every request by the same
 * amount.
 */
export interface EventLoop {
  /** The longest delay of the last 10 to 20 s, in milliseconds. */
  lagMs(): number
  /** Whether that is long enough to noticeably delay the tape. */
  isLate(): boolean
  stop(): void
}

const RESOLUTION_MS = 50
const WINDOW_MS = 10_000
/** The longest acceptable time between two frames. */
const LATE_MS = 1_000

export function watchEventLoop({ windowMs = WINDOW_MS } = {}): EventLoop {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  let previous = 0
  const timer = setInterval(() => {
    previous = longest()
    histogram.reset()
  }, windowMs)
  timer.unref()

  // The histogram includes the timer's own interval.
  const longest = () => (histogram.count === 0 ? 0 : Math.max(0, histogram.max / 1e6 - RESOLUTION_MS))
  const lagMs = () => Math.max(previous, longest())

  return {
    lagMs,
    isLate: () => lagMs() > LATE_MS,
    stop() {
      clearInterval(timer)
      histogram.disable()
    },
  }
}
