import { monitorEventLoopDelay, performance } from 'node:perf_hooks'

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

/** How often it looks. Each look wakes the process: 20 a second would be the larger part of what an idle process does. */
const LOOK_EVERY_MS = { busy: 50, idle: 1_000 }
/** A process is idle when its event loop worked for less than this part of a window. */
const IDLE_BELOW = 0.02
const WINDOW_MS = 10_000
/** The longest acceptable time between two frames. */
const LATE_MS = 1_000

export function watchEventLoop({ windowMs = WINDOW_MS } = {}): EventLoop {
  let everyMs = LOOK_EVERY_MS.busy
  let histogram = watch()
  let previous = 0
  let used = performance.eventLoopUtilization()
  let usedBefore = used

  function watch(): ReturnType<typeof monitorEventLoopDelay> {
    const watching = monitorEventLoopDelay({ resolution: everyMs })
    watching.enable()
    return watching
  }

  const timer = setInterval(() => {
    previous = longest()
    const { utilization } = performance.eventLoopUtilization(used)
    usedBefore = used
    used = performance.eventLoopUtilization()
    const wanted = utilization < IDLE_BELOW ? LOOK_EVERY_MS.idle : LOOK_EVERY_MS.busy
    if (wanted === everyMs) return histogram.reset()
    everyMs = wanted
    histogram.disable()
    histogram = watch()
  }, windowMs)
  timer.unref()

  function longest(): number {
    // The times between two looks include their own interval.
    const betweenMs = histogram.count === 0 ? undefined : histogram.max / 1e6
    if (everyMs === LOOK_EVERY_MS.busy) return Math.max(0, (betweenMs ?? everyMs) - everyMs)
    // No delay was longer than all the work since the window before, in which it may have begun.
    const workMs = performance.eventLoopUtilization(usedBefore).active
    return Math.min(betweenMs ?? workMs, workMs)
  }

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
