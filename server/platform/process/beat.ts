/**
 * One wake-up a second that everything periodic in this process shares. Most of what an idle process costs is waking up,
 * however little it then does.
 */
const EVERY_MS = 1_000
/** How long after the last beat a process wakes itself: slightly later than a frame would. */
const NO_FRAME_MS = 1_100
/** A process that is awake for a frame need not wake again: that is the beat, if the last one is this long ago. */
const SOONEST_MS = 950
/**
 * The same while there is one frame a second: Node wakes even for a timer that was moved, and with a shorter time it would
 * do so between every two frames.
 */
const FRAME_MISSING_MS = 2_100

const listeners = new Set<() => void>()
let timer: NodeJS.Timeout | undefined
let lastAt = 0
let frameAt = 0

/**
 * Calls `listener`, which must not throw, about once a second, until the returned function is called. It doesn't keep the
 * process alive.
 */
export function onBeat(listener: () => void): () => void {
  listeners.add(listener)
  if (!timer) {
    lastAt = performance.now()
    timer = setTimeout(beat, EVERY_MS, NO_FRAME_MS).unref()
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearTimeout(timer)
    timer = undefined
  }
}

/** Notes that this process woke for a frame, and beats if that is due. */
export function wokeForFrame(): void {
  const now = performance.now()
  const frameEveryMs = now - frameAt
  frameAt = now
  if (timer && now - lastAt >= SOONEST_MS) beat(frameEveryMs >= SOONEST_MS ? FRAME_MISSING_MS : NO_FRAME_MS)
}

function beat(atLatestMs: number): void {
  clearTimeout(timer)
  lastAt = performance.now()
  timer = setTimeout(beat, atLatestMs, NO_FRAME_MS).unref()
  for (const listener of [...listeners]) listener()
}

/** Calls `work` once, after `ms`; from a second on, with the nearest beat. The returned function cancels that. */
export function after(ms: number, work: () => void): () => void {
  if (ms < EVERY_MS) {
    const one = setTimeout(work, ms)
    return () => clearTimeout(one)
  }
  const due = performance.now() + ms - EVERY_MS / 2
  const cancel = onBeat(() => {
    if (performance.now() < due) return
    cancel()
    work()
  })
  return cancel
}
