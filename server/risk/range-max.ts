/** Sums over the places 0 to `size` - 1: adds to a range of them, and knows the largest. Each call takes O(log size). */
interface RangeMax {
  /** Adds to the places from `from` to before `to`. */
  add(from: number, to: number, amount: number): void
  max(): number
}

/** Returns sums that are all 0. */
export function rangeMax(size: number): RangeMax {
  // A segment tree: `added` applies to all places below a node, `largest` is the largest sum below it.
  const added = new Float64Array(4 * size)
  const largest = new Float64Array(4 * size)

  function addBelow(node: number, first: number, end: number, from: number, to: number, amount: number): void {
    if (from <= first && end <= to) {
      added[node] = (added[node] ?? 0) + amount
      largest[node] = (largest[node] ?? 0) + amount
      return
    }
    const middle = (first + end) >> 1
    if (from < middle) addBelow(2 * node, first, middle, from, to, amount)
    if (to > middle) addBelow(2 * node + 1, middle, end, from, to, amount)
    largest[node] = (added[node] ?? 0) + Math.max(largest[2 * node] ?? 0, largest[2 * node + 1] ?? 0)
  }

  return {
    add(from, to, amount) {
      if (from < to) addBelow(1, 0, size, from, to, amount)
    },
    max: () => largest[1] ?? 0,
  }
}
