import { Problem } from '#contract/problem.ts'

/** Runs work, but only so much of it at the same time; the rest waits its turn. */
export type AtMost = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Keeps costly work (password hashes, pictures) from taking the machine away from everything else: `running` at once,
 * `waiting` behind them, and whoever comes after that is told 503 at once instead of waiting for minutes.
 */
export function atMost(running: number, waiting: number): AtMost {
  let free = running
  const queue: (() => void)[] = []
  return async (work) => {
    if (free > 0) free--
    else if (queue.length >= waiting) {
      throw new Problem('unavailable', 'Too much is going on at the moment. Please try again shortly.', {
        retryAfterSeconds: 2,
      })
    } else await new Promise<void>((resolve) => queue.push(resolve))
    try {
      return await work()
    } finally {
      // The place is handed on, not freed, so that nobody slips in between.
      const next = queue.shift()
      if (next) next()
      else free++
    }
  }
}

/** Runs work of the same key one after the other, of different keys side by side. */
export function oneByOne(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work)
    const settled = turn.catch(() => undefined)
    last.set(key, settled)
    try {
      return await turn
    } finally {
      if (last.get(key) === settled) last.delete(key)
    }
  }
}
