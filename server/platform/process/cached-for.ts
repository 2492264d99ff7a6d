/**
 * Reads at most once per interval, for the caller who comes first; concurrent and later ones share the cached result or
 * the read in progress.
 */
export function cachedFor<T, From extends unknown[] = []>(
  ms: number,
  read: (...from: From) => Promise<T>,
): (...from: From) => Promise<T> {
  let kept: { at: number; value: Promise<T> } | undefined
  return (...from) => {
    if (!kept || performance.now() - kept.at >= ms) {
      const value = read(...from)
      kept = { at: performance.now(), value }
      value.catch(() => {
        if (kept?.value === value) kept = undefined
      })
    }
    return kept.value
  }
}
