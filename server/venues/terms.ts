/** What a symbol's price must satisfy. The operator sets it for each instrument. */
export interface IndexTerms {
  /** Below this many venues in the median there is no price. */
  minSources: number
  /** A quote whose bid and ask are further apart is dropped (basis points of their middle). */
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
  largestSpreadBps: 500,
  largestDeviationBps: 100,
  staleMs: 10_000,
  venues: 'all',
}
