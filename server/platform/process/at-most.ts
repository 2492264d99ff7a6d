import { Problem } from '#contract/problem.ts'

/** Runs work with bounded concurrency; the rest waits in a queue. */
type AtMost = <T>(work: () => Promise<T>) => Promise<T>

interface AtMostOptions {
  /** Maximum queue length: queued work is held in memory. */
  waiting: number
  /** Maximum time in the queue. */
  patienceMs: number
}

interface Waiter {
  begin(): void
  giveUp: NodeJS.Timeout
}

/**
 * Keeps costly work (password hashes, pictures) from starving everything else: runs `running` at once, with `waiting`
 * queued. Callers beyond that, or that have queued for too long, get a 503 instead of waiting until their connection is
 * cut.
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
      // Pass the place on instead of freeing it, so that no new caller can take it first.
      const next = queue.shift()
      if (next) {
        clearTimeout(next.giveUp)
        next.begin()
      } else free++
    }
  }
}

const tooMuch = () => new Problem('unavailable', "We're busy right now. Try again shortly.", { retryAfterSeconds: 5 })

/** Runs work with the same key sequentially, and with different keys in parallel. */
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
