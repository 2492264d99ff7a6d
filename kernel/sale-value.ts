import { MINUTE_MS, type Ms, SECOND_MS, startOf } from './time.ts'

/**
 * What an open trade can be sold for: its payout under a driftless random walk, less a fee. Whole numbers only, so that
 * every computer gets the same cent. A change to what one of these gives is a new version; each trade keeps its version.
 * `packages/verify/sale.js` computes the same once more.
 */
const SALE_RULES = {
  'SE-1': {
    /** Share of the payout, in hundredths of a percent. */
    fee: 400n,
    /** Not for sale this long after the trade and before its end. */
    notWithinMs: 10 * SECOND_MS,
    /** The price of the sale comes within this time after the order, or it isn't sold. */
    tickWithinMs: 10 * SECOND_MS,
    /** The least that prices are taken to move in a minute, in billionths, and in units of their last digit. */
    floorPpb: 100_000n,
    floorUnits: 2n,
    /** The most, in billionths. */
    ceilingPpb: 30_000_000n,
  },
} as const

export type SaleRule = keyof typeof SALE_RULES
/** The version of new trades. */
export const SALE_RULE: SaleRule = 'SE-1'

/** Returns the version with this name; undefined if this build doesn't know it. */
export const saleRule = (name: string | null): SaleRule | undefined =>
  name !== null && Object.hasOwn(SALE_RULES, name) ? (name as SaleRule) : undefined

/** The minutes whose closes make a variance, and how many are enough. */
export const VARIANCE_MINUTES = 60
const VARIANCE_MINUTES_LEAST = 30
/** Larger ones are cut: a safe integer. */
const VARIANCE_MAX = 9_000_000_000_000_000n
/** Once a frame is this much later than a minute, no later frame has a price of that minute. */
const PROVEN_AFTER_MS = 3 * SECOND_MS

/**
 * Returns the start of the minute up to which closes count at a time: the newest one that began more than three seconds
 * ago. The first frame after that holds the variances, so a price of this time comes after them.
 */
export const varianceMinute = (time: Ms): Ms => startOf(time - PROVEN_AFTER_MS - 1, MINUTE_MS)

const BILLION = 1_000_000_000n

/**
 * Returns the variance of the returns from one close to the next, without their mean, in billionths squared; undefined
 * with too few. `closes` are those of consecutive minutes, the newest last, in units of the last digit.
 */
export function varianceOf(closes: readonly number[]): number | undefined {
  if (closes.length < VARIANCE_MINUTES_LEAST) return undefined
  let sum = 0n
  for (let i = 1; i < closes.length; i++) {
    const before = BigInt(closes[i - 1] ?? 1)
    const change = ((BigInt(closes[i] ?? 1) - before) * BILLION) / before
    sum += change * change
  }
  const variance = sum / BigInt(closes.length - 1)
  return Number(variance < VARIANCE_MAX ? variance : VARIANCE_MAX)
}

/** The terms of a trade that its value depends on. */
export interface SaleTerms {
  rule: SaleRule
  side: 'Buy' | 'Sell'
  /** Cents, of a win: the stake and the profit. */
  payout: bigint
  tradeTime: Ms
  endTime: Ms
  /** In units of the symbol's last digit. */
  entry: bigint
}

type SaleTimes = Pick<SaleTerms, 'rule' | 'tradeTime' | 'endTime'>

/** From when to when a trade is for sale, as far as the time goes. */
export function saleTimes({ rule, tradeTime, endTime }: SaleTimes): { from: Ms; until: Ms } {
  const { notWithinMs } = SALE_RULES[rule]
  return { from: tradeTime + notWithinMs, until: endTime - notWithinMs }
}

/** Whether a trade is for sale at a time, as far as the time goes. */
export function isSaleTime(terms: SaleTimes, at: Ms): boolean {
  const { from, until } = saleTimes(terms)
  return at >= from && at <= until
}

/** How long after an order to sell its price must come. */
export const tickWithinMs = (rule: SaleRule): number => SALE_RULES[rule].tickWithinMs

/** Returns the fee of a sale in cents: a share of the payout of a win, rounded up. */
export const saleFee = ({ rule, payout }: Pick<SaleTerms, 'rule' | 'payout'>): bigint =>
  (payout * SALE_RULES[rule].fee + 9_999n) / 10_000n

/**
 * Returns what a trade sells for at a price and time, in cents: the payout times its probability, less the fee, and never
 * below 0. `variance`: as `varianceOf` returns it.
 */
export function saleValue(terms: SaleTerms, price: bigint, at: Ms, variance: number): bigint {
  const { rule, side, payout, entry, endTime } = terms
  const ahead = side === 'Buy' ? price - entry : entry - price
  const left = BigInt(Math.max(1, endTime - at))
  const chance = normal(deviations(ahead, price, bounded(rule, price, variance), left))
  const value = (payout * chance) / BILLION - saleFee(terms)
  return value > 0n ? value : 0n
}

function bounded(rule: SaleRule, price: bigint, variance: number): bigint {
  const { floorPpb, floorUnits, ceilingPpb } = SALE_RULES[rule]
  const units = (floorUnits * BILLION) / price
  const least = units > floorPpb ? units : floorPpb
  const most = ceilingPpb > least ? ceilingPpb : least
  const stated = BigInt(variance)
  if (stated < least * least) return least * least
  return stated > most * most ? most * most : stated
}

/** How many standard deviations of the time left the price is ahead, in billionths. */
function deviations(ahead: bigint, price: bigint, variance: bigint, leftMs: bigint): bigint {
  const square = (ahead * ahead * BILLION ** 4n * BigInt(MINUTE_MS)) / (price * price * variance * leftMs)
  const root = squareRoot(square)
  return ahead < 0n ? -root : root
}

/** The largest whole number whose square isn't larger. */
function squareRoot(square: bigint): bigint {
  if (square < 2n) return square
  let root = 1n << (BigInt(square.toString(2).length + 1) / 2n)
  for (;;) {
    const next = (root + square / root) / 2n
    if (next >= root) return root
    root = next
  }
}

/** Coefficients of formula 26.2.19 of Abramowitz and Stegun, times 10^10. Its error is below 1.5e-7. */
const NORMAL = [498_673_470n, 211_410_061n, 32_776_263n, 380_036n, 488_906n, 53_830n]
const SCALE = 10n ** 18n
/** Beyond this, the chance is 0 or 1 to a billionth. */
const FAR = 7n * BILLION

/** Returns the chance, in billionths, that a normal variable is below `x`, in billionths. */
function normal(x: bigint): bigint {
  const far = x < 0n ? -x : x
  const size = far > FAR ? FAR : far
  let sum = SCALE
  let power = SCALE
  for (const coefficient of NORMAL) {
    power = (power * size) / BILLION
    sum += (coefficient * power) / 10n ** 10n
  }
  // To the 16th.
  for (let i = 0; i < 4; i++) sum = (sum * sum) / SCALE
  const tail = (SCALE * BILLION) / (2n * sum)
  return x < 0n ? tail : BILLION - tail
}
