/**
 * How well trades did, and how well they must do: the same numbers and the same sentence on every page and in every
 * report. Pure, so that a browser can load it alone. All rates are in percent.
 */

/** Decided trades. Draws and voids return the stake and don't count. */
export interface Tally {
  won: number
  lost: number
}

export interface HitRate {
  /** Share of the decided trades that were won. */
  rate: number
  /** The 95 % confidence interval of that share. */
  low: number
  high: number
}

/** The normal distribution's quantile for 95 %, both sides. */
const Z = 1.959964

/**
 * Returns the hit rate with its Wilson score interval, which stays within 0 and 100 and is honest about few trades.
 * Undefined without a decided trade.
 */
export function hitRate({ won, lost }: Tally): HitRate | undefined {
  const count = won + lost
  if (count === 0) return undefined
  const share = won / count
  const shrink = 1 + Z ** 2 / count
  const center = (share + Z ** 2 / (2 * count)) / shrink
  const half = (Z * Math.sqrt((share * (1 - share)) / count + Z ** 2 / (4 * count ** 2))) / shrink
  return {
    rate: share * 100,
    low: lost === count ? 0 : (center - half) * 100,
    high: won === count ? 100 : (center + half) * 100,
  }
}

/**
 * Returns the hit rate at which trades neither gain nor lose, from the mean profit of a winning trade in percent of its
 * stake: 57.1 at 75 %.
 */
export const breakEvenRate = (meanProfitPercent: number): number => 10_000 / (100 + meanProfitPercent)

/**
 * Returns 'Measured 50.4 % ± 1.1 over 8,120 signals; you need 57.1 % to break even'. With few trades the interval is
 * lopsided, and the sentence names its two ends instead.
 */
export function measuredSentence(tally: Tally, breakEven: number, what: 'signals' | 'trades' = 'signals'): string {
  const hit = hitRate(tally)
  const need = `you need ${tenths(breakEven)} % to break even`
  if (!hit) return `No decided ${what} yet; ${need}`
  const below = hit.rate - hit.low
  const above = hit.high - hit.rate
  const interval =
    Math.abs(above - below) < 0.1
      ? `${tenths(hit.rate)} % ± ${tenths(Math.max(below, above))}`
      : `${tenths(hit.rate)} % (${tenths(hit.low)} to ${tenths(hit.high)})`
  const count = tally.won + tally.lost
  return `Measured ${interval} over ${count.toLocaleString('en-US')} ${count === 1 ? what.slice(0, -1) : what}; ${need}`
}

const tenths = (percent: number): string => percent.toFixed(1)
