import { must } from '#kernel/must.ts'
import { type Ms, SECOND_MS } from '#kernel/time.ts'

const SECONDS = 10

/** Counts events a second, over the last ten. */
export interface Rate {
  count(now: Ms): void
  perSecond(now: Ms): number
}

export function createRate(): Rate {
  const counts = new Array<number>(SECONDS).fill(0)
  const ofSecond = new Array<number>(SECONDS).fill(0)
  return {
    count(now) {
      const second = Math.floor(now / SECOND_MS)
      const at = second % SECONDS
      if (ofSecond[at] !== second) {
        ofSecond[at] = second
        counts[at] = 0
      }
      counts[at] = (counts[at] ?? 0) + 1
    },
    perSecond(now) {
      const second = Math.floor(now / SECOND_MS)
      // The current second is not over.
      const total = counts.reduce((sum, count, at) => {
        const age = second - must(ofSecond[at])
        return age >= 1 && age < SECONDS ? sum + count : sum
      }, 0)
      return total / (SECONDS - 1)
    },
  }
}
