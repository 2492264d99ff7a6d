/** Stops when something that the code relies on is not so: a bug, never a user's mistake (that is a `Problem`). */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`)
}

/** Marks a branch that the types say cannot be reached. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${String(value)}`)
}
