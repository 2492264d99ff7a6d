import { Problem } from '#contract/problem.ts'

/** Runs work, but only so much of it at the same time; the rest waits its turn. */
export type AtMost = <T>(work: () => Promise<T>) => Promise<T>

interface AtMostOptions {
  /** How much may wait at most: what waits is held in memory. */
  waiting: number
  /** How long anybody waits for his turn at most. */
  patienceMs: number
}

interface Waiter {
  begin(): void
  giveUp: NodeJS.Timeout
}

/**
 * Keeps costly work (password hashes, pictures) from taking the machine away from everything else: `running` at once,
 * `waiting` behind them. Whoever comes after that, or has waited for so long, is told 503 instead of being left without
 * an answer until his connection is cut.
 */
export function atMost(running: number, { waiting, patienceMs }: AtMostOptions): AtMost {
  let free = running
  const queue: Waiter[] = []

  function turn(): Promise<void> {
    if (queue.length >= waiting) throw tooMuch()
    return new Promise((resolve, reject) => {
      const giveUp = setTimeout(() => {
        queue.splice(queue.indexOf(waiter), 1)
        reject(tooMuch())
      }, patienceMs)
      const waiter = { begin: resolve, giveUp }
      queue.push(waiter)
    })
  }

  return async (work) => {
    if (free > 0) free--
    else await turn()
    try {
      return await work()
    } finally {
      // The place is handed on, not freed, so that nobody slips in between.
      const next = queue.shift()
      if (next) {
        clearTimeout(next.giveUp)
        next.begin()
      } else free++
    }
  }
}

const tooMuch = () =>
  new Problem('unavailable', 'Too much is going on at the moment. Please try again shortly.', { retryAfterSeconds: 5 })

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
