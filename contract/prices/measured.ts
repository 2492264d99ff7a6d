/**
 * How well trades did, and how well they must do: the same numbers and the same sentence on every page and in every
 * report. Pure, so that a browser can load it alone. All rates are in percent.
 */

/** Decided trades. Draws and voids return the stake and don't count. */
export interface Tally {
  won: number
  lost: number
  spread: OutcomeSpread
}

/**
 * How trades are spread over candle closes. Trades of one close run at the same time on symbols that move together, so
 * they are often won or lost together: an interval that counted each of them would be several times too narrow.
 */
export interface OutcomeSpread {
  /** Closes with a decided trade. */
  closes: number
  /** Sums over the closes: won², won × lost, lost². */
  ww: number
  wl: number
  ll: number
}

export interface HitRate {
  /** Share of the decided trades that were won. */
  rate: number
  /** The 95% confidence interval of that share. */
  low: number
  high: number
  /** So many independent trades would be as sure. */
  effective: number
}

/** Counts decided trades, given by candle close. */
export function tallyOf(closes: Iterable<{ won: number; lost: number }>): Tally {
  const tally: Tally = { won: 0, lost: 0, spread: { closes: 0, ww: 0, wl: 0, ll: 0 } }
  for (const { won, lost } of closes) {
    if (won + lost === 0) continue
    tally.won += won
    tally.lost += lost
    tally.spread.closes++
    tally.spread.ww += won * won
    tally.spread.wl += won * lost
    tally.spread.ll += lost * lost
  }
  return tally
}

/** The normal distribution's quantile for 95%, both sides. */
const Z = 1.959964

/**
 * Returns the hit rate with its Wilson score interval, which stays within 0 and 100 and is honest about few trades.
 * Undefined without a decided trade. The variance is that of a ratio estimated from clusters, here the candle closes; the
 * interval is the one of the independent trades that would have this variance, with Student's quantile because few
 * closes estimate their variance badly.
 */
export function hitRate({ won, lost, spread }: Tally): HitRate | undefined {
  const count = won + lost
  if (count === 0) return undefined
  const share = won / count
  const { effective, quantile } = certaintyOf(share, count, spread)
  const shrink = 1 + quantile ** 2 / effective
  const center = (share + quantile ** 2 / (2 * effective)) / shrink
  const half = (quantile * Math.sqrt((share * (1 - share)) / effective + quantile ** 2 / (4 * effective ** 2))) / shrink
  return {
    rate: share * 100,
    low: lost === count ? 0 : (center - half) * 100,
    high: won === count ? 100 : (center + half) * 100,
    effective,
  }
}

function certaintyOf(share: number, count: number, { closes, ww, wl, ll }: OutcomeSpread) {
  // One trade a close: all are independent.
  if (closes >= count) return { effective: count, quantile: Z }
  // A single close, or closes that all went the same way, don't show how much closes differ.
  if (closes < 2 || share === 0 || share === 1) return { effective: closes, quantile: Z }
  const miss = 1 - share
  // Where all closes are alike it's 0, and rounding may go below.
  const squares = Math.max(0, miss ** 2 * ww - 2 * share * miss * wl + share ** 2 * ll)
  const variance = (squares * closes) / (closes - 1) / count ** 2
  // By chance, closes can differ less than independent trades would.
  return { effective: Math.min(count, (share * miss) / variance), quantile: studentQuantile(closes - 1) }
}

/** Student's quantile for 95%, both sides: exact for few degrees of freedom, else its expansion around the normal one. */
function studentQuantile(degrees: number): number {
  const few = [12.7062, 4.3027, 3.1824][degrees - 1]
  if (few !== undefined) return few
  const terms = [
    (Z ** 3 + Z) / 4,
    (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / 96,
    (3 * Z ** 7 + 19 * Z ** 5 + 17 * Z ** 3 - 15 * Z) / 384,
  ]
  return terms.reduce((sum, term, n) => sum + term / degrees ** (n + 1), Z)
}

/**
 * Returns the hit rate at which trades neither gain nor lose, from the mean profit of a winning trade in percent of its
 * stake: 57.1 at 75%.
 */
export const breakEvenRate = (meanProfitPercent: number): number => 10_000 / (100 + meanProfitPercent)

/**
 * Returns 'Measured 50.4% ± 2.8 over 8,120 signals (as sure as 1,240 independent ones); you need 57.1% to break even'.
 * With few trades the interval is lopsided, and the sentence names its two ends instead.
 */
export function measuredSentence(tally: Tally, breakEven: number, what: 'signals' | 'trades' = 'signals'): string {
  const hit = hitRate(tally)
  const need = `you need ${tenths(breakEven)}% to break even`
  if (!hit) return `No decided ${what} yet; ${need}`
  const below = hit.rate - hit.low
  const above = hit.high - hit.rate
  const interval =
    Math.abs(above - below) < 0.1
      ? `${tenths(hit.rate)}% ± ${tenths(Math.max(below, above))}`
      : `${tenths(hit.rate)}% (${tenths(hit.low)} to ${tenths(hit.high)})`
  const count = tally.won + tally.lost
  const effective = Math.max(1, Math.round(hit.effective))
  const sure =
    effective < count ? ` (as sure as ${grouped(effective)} independent ${effective === 1 ? 'one' : 'ones'})` : ''
  return `Measured ${interval} over ${grouped(count)} ${count === 1 ? what.slice(0, -1) : what}${sure}; ${need}`
}

/** The warning next to figures of which many are compared. */
export const MANY_COMPARED =
  'One in 20 of these intervals misses the true rate by chance. The best of many strategies, durations, hours or settings usually owes its place to luck: test it on days that you did not choose it by.'

const tenths = (percent: number): string => percent.toFixed(1)
const grouped = (number: number): string => number.toLocaleString('en-US')
