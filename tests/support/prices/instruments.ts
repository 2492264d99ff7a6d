import type { Instrument } from '#server/prices/index.ts'
import { DEFAULT_TERMS } from '#server/venues/index.ts'

/** Returns an instrument with these properties; a pair of coins at scale 2 by default. */
export function instrument(properties: Partial<Instrument> & { id: number; symbol: string }): Instrument {
  const { symbol } = properties
  return {
    base: symbol.slice(0, 3),
    quote: symbol.slice(3),
    tradingType: 'Cryptocurrency',
    scale: 2,
    staleAfterMs: 10_000,
    notLiveReason: null,
    closedReason: null,
    demoOnly: false,
    terms: DEFAULT_TERMS,
    ...properties,
  }
}
