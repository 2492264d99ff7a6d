import { Problem } from '#contract/problem.ts'

/** Budget of server time for callers without a session, per network (see `networkOf`). */
interface VisitorBudget {
  /**
   * Reserves time for one request, or throws 429. Returns a function that settles the reservation with the actual time.
   */
  begin(network: string): (usedMs: number) => void
}

/** Milliseconds of server time that a network may use at once: about 150 page views. */
const BURST_MS = 8_000
/** Milliseconds of server time that a network regains each second: a quarter of one core. */
const REFILL_MS_PER_SECOND = 250
/** Minimum cost of a request, however little it did. */
const LEAST_MS = 2
/** Maximum cost of a request: when everything is slow, that is not the caller's fault. */
const MOST_MS = 500
/** Reserved while a request runs, so that parallel requests can't all start before the first is charged. */
const RESERVED_MS = 25
const NETWORKS_MAX = 50_000

interface Bucket {
  left: number
  at: number
}

/**
 * A token bucket per network, in milliseconds of server time. `factor` multiplies the budget; undefined turns it off.
 * When too many networks are below their full budget to remember them all, new ones are rejected.
 */
export function visitorBudget(
  factor: number | undefined,
  { now = () => performance.now(), networksMax = NETWORKS_MAX } = {},
): VisitorBudget {
  if (factor === undefined) return { begin: () => () => undefined }
  const full = BURST_MS * factor
  const perMs = (REFILL_MS_PER_SECOND * factor) / 1_000
  const buckets = new Map<string, Bucket>()

  function bucketOf(network: string): Bucket {
    const at = now()
    let bucket = buckets.get(network)
    if (bucket) {
      bucket.left = Math.min(full, bucket.left + (at - bucket.at) * perMs)
      bucket.at = at
    } else {
      if (buckets.size >= networksMax) forgetFull(at)
      if (buckets.size >= networksMax) throw tooMany(1)
      bucket = { left: full, at }
      buckets.set(network, bucket)
    }
    return bucket
  }

  function forgetFull(at: number): void {
    for (const [network, { left, at: since }] of buckets)
      if (left + (at - since) * perMs >= full) buckets.delete(network)
  }

  return {
    begin(network) {
      const bucket = bucketOf(network)
      if (bucket.left < RESERVED_MS) throw tooMany((RESERVED_MS - bucket.left) / perMs / 1_000)
      bucket.left -= RESERVED_MS
      return (usedMs) => {
        bucketOf(network).left += RESERVED_MS - Math.min(MOST_MS, Math.max(LEAST_MS, usedMs))
      }
    },
  }
}

const tooMany = (retryAfterSeconds: number) =>
  new Problem('too_many_requests', 'Too many requests from your network. Wait a moment and try again.', {
    retryAfterSeconds,
  })
