import type { Ms } from '#kernel/time.ts'
import type { Clock } from '../../../platform/process/clock.ts'
import type { Memory } from '../memory/memory.ts'

/**
 * A leader that hasn't written for this long, though its connection lives, is cut off by the node that wants to take over:
 * it hangs, its machine was paused, or the network between us is gone. If it wakes, it has no lock and only follows. A
 * frame is due every second at the latest, and with this the other node leads within 2 s.
 */
export const LEADER_SILENT_MS = 1_500
const FRAME_EVERY_MS = 250
/** While nobody watches and no trade is open. */
const QUIET_FRAME_EVERY_MS = 1_000
/** Without it the tape would stay ahead permanently: no quote would be new enough for it, and no order young enough. */
const BEHIND_PACE = 0.9
/** How soon the leader checks again after finding nothing to write. */
const LOOK_EVERY_MS = 50
/** How soon a follower reads without being woken, and tries to take the lead. */
const FOLLOW_EVERY_MS = 1_000
/** The same for a node that never leads, while there is one frame a second. */
const FOLLOW_QUIET_EVERY_MS = 2_100

/** When frames are due, and when to look for those of another node. */
export interface Pace {
  /**
   * Returns the time of the next frame. If the database's clock is behind the tape (it was set back, and we were
   * restarted), the tape continues from its own end, a tenth slower than the monotonic clock, so that the two meet.
   */
  tapeNow(): Ms
  /** Time between frames. */
  frameEvery(): Ms
  /** How long this node has waited for a frame, whatever the machine's clock says. */
  silentMs(): number
  /** Waits until the leader's next frame is due. */
  untilDue(foundNothing: boolean): Promise<void>
  /**
   * Waits for the leader's message that there is a frame. A node that could lead waits only until the leader is silent.
   */
  untilWoken(): Promise<void>
  /** Ends the current or the next wait. */
  wake(): void
  /** Ends the current wait. */
  stop(): void
}

export function createPace(deps: {
  memory: Memory
  clock: Clock
  /** Whether this node could lead. */
  mayLead: boolean
  /** Whether a frame a second is enough. */
  isQuiet: (() => boolean) | undefined
}): Pace {
  const { memory, clock } = deps
  let behind: { n: number; since: number } | undefined
  // The newest frame that this node has, and since when by the monotonic clock.
  let newest = { n: -1, t: 0, since: 0 }
  // Tape time between the newest frames.
  let paceMs = 0
  const waits = createWaits()

  const frameEvery = () => (deps.isQuiet?.() ? QUIET_FRAME_EVERY_MS : FRAME_EVERY_MS)

  function tapeNow(): Ms {
    const { n, t } = memory.head()
    const now = clock.now()
    if (now >= t) return now
    if (behind?.n !== n) behind = { n, since: performance.now() }
    return t + Math.floor((performance.now() - behind.since) * BEHIND_PACE)
  }

  function silentMs(): number {
    const { n, t } = memory.head()
    if (newest.n !== n) {
      paceMs = (t - newest.t) / (n - newest.n)
      newest = { n, t, since: performance.now() }
    }
    return performance.now() - newest.since
  }

  return {
    tapeNow,
    frameEvery,
    silentMs,
    async untilDue(foundNothing) {
      const wait = Math.max(memory.head().t + frameEvery() - tapeNow(), foundNothing ? LOOK_EVERY_MS : 0)
      if (wait > 0 && !waits.isWoken()) await waits.rest(wait)
      waits.begin()
    },
    async untilWoken() {
      if (!waits.isWoken()) {
        const left = LEADER_SILENT_MS - silentMs()
        if (deps.mayLead) await waits.rest(Math.min(FOLLOW_EVERY_MS, Math.max(LOOK_EVERY_MS, left)))
        // The message of the next frame arrives slightly more than a second after the last one. A moved timer wakes this
        // process all the same, so it isn't set to much sooner than two.
        else await waits.rest(paceMs < QUIET_FRAME_EVERY_MS ? FOLLOW_EVERY_MS : FOLLOW_QUIET_EVERY_MS)
      }
      waits.begin()
    },
    wake: waits.wake,
    stop: waits.end,
  }
}

/** One wait at a time, which a call can end early, even before it has begun. */
function createWaits() {
  let woken = false
  let end: () => void = () => undefined
  return {
    /** Whether the next wait was ended before it began. */
    isWoken: () => woken,
    /** Forgets that a wait was ended. */
    begin(): void {
      woken = false
    },
    rest(ms: number): Promise<void> {
      return new Promise((resolve) => {
        const timer = setTimeout(() => end(), ms)
        end = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    },
    wake(): void {
      woken = true
      end()
    },
    end: () => end(),
  }
}
