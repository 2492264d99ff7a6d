/**
 * Calls `round` with the time since the last sign of life, in rounds of `everyMs`. A round counts for no longer than
 * that: while this process is paused or busy, messages wait unread, and that is no silence of the exchange.
 * `heardAt` returns when the last sign came (`performance.now()`). Returns what ends it.
 */
export function watchSilence(everyMs: number, heardAt: () => number, round: (silentMs: number) => void): () => void {
  let silentMs = 0
  let lastHeardAt = heardAt()
  const timer = setInterval(() => {
    const at = heardAt()
    silentMs = at === lastHeardAt ? silentMs + everyMs : Math.min(everyMs, performance.now() - at)
    lastHeardAt = at
    round(silentMs)
  }, everyMs)
  return () => clearInterval(timer)
}
