import type { Ms } from '#kernel/time.ts'
import type { Clock } from '#server/platform/process/clock.ts'

/** A clock that moves only when a test moves it. */
export function handClock(start: Ms): Clock & { set(time: Ms): void; advance(byMs: number): void; disagree(): void } {
  let time = start
  let agrees = true
  return {
    now: () => time,
    agrees: () => agrees,
    set: (to) => {
      time = to
    },
    advance: (byMs) => {
      time += byMs
    },
    disagree: () => {
      agrees = false
    },
  }
}
