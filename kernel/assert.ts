/** Throws if an assumption of the code doesn't hold: a bug, never a user's mistake (that is a `Problem`). */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`)
}
