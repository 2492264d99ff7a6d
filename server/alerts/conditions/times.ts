import { insert } from './price-levels.ts'
import type { JudgedTick, TimeWatch } from './terms.ts'

/** The times that a symbol is watched for. A tick costs one comparison, and what it fires. */
export interface Times {
  add(watch: TimeWatch): void
  tick(tick: JudgedTick, fire: (watch: TimeWatch) => void): void
}

export function createTimes(): Times {
  // The next one is at the end.
  const times: TimeWatch[] = []
  return {
    add: (watch) => insert(times, watch, (one) => one.atMs > watch.atMs),
    tick({ sourceMs }, fire) {
      for (let next = times.at(-1); next !== undefined && next.atMs <= sourceMs; next = times.at(-1)) {
        times.pop()
        if (!next.gone) fire(next)
      }
    },
  }
}
