/** Gathers the messages to one receiver, so that a busy one costs few writes. */
import { first } from '#kernel/must.ts'

export interface PacedWrites {
  add(messages: readonly Buffer[]): void
  /** Writes the pending messages now. */
  flush(): void
}

/** Time between the writes to a busy receiver. Each wakes it, so several messages in one cost little more than one. */
const EVERY_MS = 100
/** Writes that a receiver gets at once after it has had none for half a second. */
const BURST = 5

/**
 * Messages leave together at the end of the event loop's turn, after the responses of that turn. Only a receiver that has
 * had `BURST` writes lately waits for the next one, for `EVERY_MS` at most.
 */
export function paceWrites(write: (bytes: Buffer) => void): PacedWrites {
  let pending: Buffer[] = []
  /** When the next write would be due if all were `EVERY_MS` apart, by `performance.now()`. */
  let dueAt = 0
  let cancel = () => {}

  function flush(): void {
    if (pending.length === 0) return
    cancel()
    const bytes = pending.length === 1 ? first(pending) : Buffer.concat(pending)
    pending = []
    dueAt = Math.max(performance.now(), dueAt) + EVERY_MS
    write(bytes)
  }

  function schedule(): void {
    const waitMs = dueAt - (BURST - 1) * EVERY_MS - performance.now()
    if (waitMs > 0) {
      const timer = setTimeout(flush, waitMs).unref()
      cancel = () => clearTimeout(timer)
    } else {
      const turn = setImmediate(flush)
      cancel = () => clearImmediate(turn)
    }
  }

  return {
    add(messages) {
      const isScheduled = pending.length > 0
      pending.push(...messages)
      if (!isScheduled && messages.length > 0) schedule()
    },
    flush,
  }
}
