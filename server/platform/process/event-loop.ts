import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { onBeat } from './beat.ts'

/**
 * Measures the delay of this process's event loop, which delays frames, settlement and every request by the same
 * amount.
 */
export interface EventLoop {
  /** The longest delay of the last 10 to 20 s, in milliseconds. */
  lagMs(): number
  /** Whether that is long enough to noticeably delay the tape. */
  isLate(): boolean
  /** Forgets the delays until now: those of a start, which loads code while nobody waits. */
  forget(): void
  stop(): void
}

/** Each look wakes the process, and 20 a second would be the larger part of what an idle one does: that one doesn't look. */
const LOOK_EVERY_MS = 50
/** A process is idle when its event loop worked for less than this part of a window, and until it works this long between two beats. */
const IDLE_BELOW = 0.02
const BUSY_ABOVE_MS = 200
const WINDOW_MS = 10_000
/** The longest acceptable time between two frames. */
const LATE_MS = 1_000

type Delays = ReturnType<typeof monitorEventLoopDelay>

function watch(): Delays {
  const watching = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS })
  watching.enable()
  return watching
}

/** The times between two looks include their own interval. */
const longestSeenBy = ({ count, max }: Delays) => (count === 0 ? 0 : max / 1e6 - LOOK_EVERY_MS)

export function watchEventLoop({ windowMs = WINDOW_MS } = {}): EventLoop {
  // A histogram loses the delay during which it begins or is reset. So each watches for two windows, and the next one
  // begins in between.
  let older: Delays | undefined
  let newer: Delays | undefined = watch()
  let previous = 0
  let atWindow = performance.eventLoopUtilization()
  let atBeat = atWindow
  let mostBetweenBeats = 0

  const stopBeats = onBeat(() => {
    if (newer === undefined) {
      const work = workSinceBeat()
      mostBetweenBeats = Math.max(mostBetweenBeats, work)
      // No longer idle. Much work in small pieces delays nothing, which only looking can show.
      if (work > BUSY_ABOVE_MS) newer = watch()
    }
    atBeat = performance.eventLoopUtilization()
  })

  const timer = setInterval(() => {
    previous = Math.max(mostBetweenBeats, workUnwatched())
    mostBetweenBeats = 0
    const { utilization } = performance.eventLoopUtilization(atWindow)
    atWindow = performance.eventLoopUtilization()
    older?.disable()
    older = newer
    newer = utilization >= IDLE_BELOW ? watch() : undefined
  }, windowMs)
  timer.unref()

  const watching = () => [older, newer].filter((delays) => delays !== undefined)

  const workSinceBeat = () => performance.eventLoopUtilization(atBeat).active

  /**
   * There is no beat during a delay, so none is longer than all the work between two. The older histogram
   * alone would miss a delay at the end of the window, which stops it.
   */
  const workUnwatched = () => (newer === undefined ? workSinceBeat() : 0)

  const lagMs = () => Math.max(previous, mostBetweenBeats, workUnwatched(), ...watching().map(longestSeenBy))

  return {
    lagMs,
    isLate: () => lagMs() > LATE_MS,
    forget() {
      previous = 0
      mostBetweenBeats = 0
      atBeat = performance.eventLoopUtilization()
      for (const delays of watching()) delays.reset()
    },
    stop() {
      clearInterval(timer)
      stopBeats()
      for (const delays of watching()) delays.disable()
    },
  }
}
