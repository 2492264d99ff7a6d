import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How late this process's event loop runs. Frames, settlement and every call wait as long as it is late. */
export interface EventLoop {
  /** The longest delay of the last 10 to 20 s, in milliseconds. */
  lagMs(): number
  /** Whether that is long enough to hold up the tape noticeably. */
  isLate(): boolean
  stop(): void
}

const RESOLUTION_MS = 10
const WINDOW_MS = 10_000
/** The longest that two frames may be apart. */
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

  // The histogram counts the timer's own interval too.
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
