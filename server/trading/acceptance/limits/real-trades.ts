import { type Usd, usd } from '#kernel/money.ts'
import type { Instrument } from '../../../prices/index.ts'

/** What real money may do on a symbol: refused with a sentence for the trader, or at most this much on it; null: no limit. */
export type RealTrades = { refused: string } | { stakeMax: Usd | null }

const SOURCES_NEEDED = 3
/**
 * With two sources, or as many as count as two because their spreads are wide, the largest stake is the depth of the
 * prices divided by this. On synthetic venues as wide as the terms allow, moving one of two paid from 0.3% of the depth
 * (docs/decisions/0019-single-ticks-and-depth.md).
 */
const DEPTH_PER_STAKE = 400n
const CENTS = 100n
const SMALLEST_STAKE = usd(100n)

/**
 * Returns what real money may do. `deepSources`: how many exchanges make the price at its depth; undefined if that isn't
 * judged, as on a test installation.
 */
export function realTradesOf(
  { symbol, demoOnly, terms }: Pick<Instrument, 'symbol' | 'demoOnly' | 'terms'>,
  deepSources: number | undefined,
): RealTrades {
  if (demoOnly) return { refused: `${symbol} is open for demo trades only.` }
  if (deepSources === undefined || deepSources >= SOURCES_NEEDED) return { stakeMax: null }
  if (deepSources === 2) {
    const stakeMax = usd((BigInt(terms.depthUsd) * CENTS) / DEPTH_PER_STAKE)
    if (stakeMax >= SMALLEST_STAKE) return { stakeMax }
  }
  const found = ['No exchange has', 'Only one exchange has', 'Only two exchanges have'][deepSources]
  return {
    refused: `${found} a deep enough market for ${symbol} right now, so you can't trade it with real money. You can still trade it on demo.`,
  }
}
