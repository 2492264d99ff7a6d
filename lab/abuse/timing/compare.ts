/** The difference between the times of two kinds of request, in milliseconds. */
interface Difference {
  /** Median of the pairs' differences. */
  median: number
  /** Bounds of the true median, wrong in one case in 10,000, for any distribution of the noise. */
  low: number
  high: number
  pairs: number
}

/** One in 10,000, half of it at each end. */
const TAIL = 0.00005

/**
 * Returns the median difference of pairs that were measured together, with a confidence interval from the sign test: it
 * only assumes that pairs are independent.
 */
export function medianDifference(differences: readonly number[]): Difference {
  const sorted = [...differences].sort((a, b) => a - b)
  const count = sorted.length
  const outside = lowestRank(count)
  const middle = (sorted[Math.floor((count - 1) / 2)]! + sorted[Math.ceil((count - 1) / 2)]!) / 2
  if (outside < 0)
    return { median: middle, low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY, pairs: count }
  return { median: middle, low: sorted[outside]!, high: sorted[count - 1 - outside]!, pairs: count }
}

/** Returns the index of the order statistic that bounds the median; -1 if there are too few. */
function lowestRank(count: number): number {
  let term = 0.5 ** count
  let below = 0
  for (let k = 0; k < count / 2; k++) {
    below += term
    if (below > TAIL) return k - 1
    term *= (count - k) / (k + 1)
  }
  return -1
}

interface Measuring {
  /** Stops as soon as the interval is this narrow. */
  widthMs: number
  longestMs: number
}

/**
 * Measures two kinds of request in pairs, each in random order, until the interval of their difference is narrow
 * enough. `one` and `other` resolve when the response has arrived.
 */
export async function compareTimes(
  one: () => Promise<unknown>,
  other: () => Promise<unknown>,
  { widthMs, longestMs }: Measuring,
): Promise<Difference> {
  const timed = async (work: () => Promise<unknown>) => {
    const began = performance.now()
    await work()
    return performance.now() - began
  }
  // The first requests load code and open connections.
  for (let n = 0; n < 3; n++) await Promise.all([one(), other()])
  const differences: number[] = []
  const until = performance.now() + longestMs
  for (;;) {
    for (let n = 0; n < 20; n++) {
      const isFirst = Math.random() < 0.5
      const before = isFirst ? await timed(one) : await timed(other)
      const after = isFirst ? await timed(other) : await timed(one)
      differences.push(isFirst ? after - before : before - after)
    }
    const difference = medianDifference(differences)
    if (difference.high - difference.low <= widthMs || performance.now() > until) return difference
  }
}
