/** What a symbol's price must satisfy. The operator sets it for each instrument. */
export interface IndexTerms {
  /** Below this many venues in the median there is no price. */
  minSources: number
  /** A venue's price is the middle of what this much would be sold and bought for there (USD). */
  depthUsd: number
  /** A venue whose bid and ask are further apart at that depth isn't counted (basis points of their middle). */
  largestSpreadBps: number
  /** A venue further away from the median of the others is dropped (basis points). */
  largestDeviationBps: number
  /** A venue that has been silent for longer is not counted. */
  staleMs: number
  /** Ids of the venues to take prices from. */
  venues: 'all' | readonly string[]
}

export const DEFAULT_TERMS: IndexTerms = {
  minSources: 2,
  depthUsd: 1_000,
  largestSpreadBps: 60,
  largestDeviationBps: 40,
  staleMs: 10_000,
  venues: 'all',
}
