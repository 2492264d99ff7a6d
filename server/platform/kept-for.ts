/** Reads at most once per interval; concurrent and later callers share the cached result or the read in progress. */
export function keptFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let kept: { at: number; value: Promise<T> } | undefined
  return () => {
    if (!kept || performance.now() - kept.at >= ms) {
      const value = read()
      kept = { at: performance.now(), value }
      value.catch(() => {
        if (kept?.value === value) kept = undefined
      })
    }
    return kept.value
  }
}
