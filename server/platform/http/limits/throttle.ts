import { Problem } from '#contract/problem.ts'

/** Maximum queued requests; more are rejected at once. */
const WAITING = 2_000

/**
 * Lets at most `perTurn` requests begin in one turn of the event loop, in arrival order. Without it, a burst of
 * simultaneous requests is parsed in one go, and the next frame of the tape waits for all of them.
 */
export function throttle(perTurn: number, waiting = WAITING): () => Promise<void> {
  const queue: (() => void)[] = []
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      for (const begin of queue.splice(0, perTurn)) begin()
      if (queue.length > 0) schedule()
    })
  }

  return () => {
    if (queue.length >= waiting)
      throw new Problem('unavailable', "We're busy right now. Try again shortly.", { retryAfterSeconds: 2 })
    return new Promise((resolve) => {
      queue.push(resolve)
      schedule()
    })
  }
}
