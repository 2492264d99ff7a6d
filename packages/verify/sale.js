/**
 * What a trade was worth when it was sold: its payout under a driftless random walk, less a fee. In whole numbers, so that
 * every computer gets the same cent. README.md describes the formula.
 */

const RULES = {
  'SE-1': {
    feePerTenThousand: 400n,
    closedMs: 10_000,
    waitMs: 10_000,
    leastMove: 100_000n,
    leastSteps: 2n,
    mostMove: 30_000_000n,
  },
}
const E9 = 10n ** 9n
const E18 = 10n ** 18n

export const isSaleRule = (name) => typeof name === 'string' && Object.hasOwn(RULES, name)

/** The start of the minute up to which closes count at a time. A frame states variances for the same minute as its time. */
export const varianceMinute = (time) => Math.floor((time - 3_001) / 60_000) * 60_000

/** How long the price of a sale may take, and how close to the trade's start and end it may not be. */
export const saleTimes = (rule) => ({ waitMs: RULES[rule].waitMs, closedMs: RULES[rule].closedMs })

/** The fee of a sale in cents. `payout`: of a win, in cents. */
export function feeOf(rule, payout) {
  const product = payout * RULES[rule].feePerTenThousand
  return product / 10_000n + (product % 10_000n > 0n ? 1n : 0n)
}

/** Cents that a trade sells for. `entry` and `price` are in the same units, `left` is in ms, `variance` as the tape states it. */
export function worth({ rule, side, payout, entry, price, left, variance }) {
  const { leastMove, leastSteps, mostMove } = RULES[rule]
  const least = [leastMove, (leastSteps * E9) / price].reduce((a, b) => (a > b ? a : b)) ** 2n
  const most = [mostMove ** 2n, least].reduce((a, b) => (a > b ? a : b))
  const used = BigInt(variance) < least ? least : BigInt(variance) > most ? most : BigInt(variance)
  const distance = price - entry
  const z = root((distance ** 2n * E18 ** 2n * 60_000n) / (price ** 2n * used * BigInt(left)))
  const wins = side === 'Buy' ? distance >= 0n : distance <= 0n
  const tail = tailOf(z)
  const fair = (payout * (wins ? E9 - tail : tail)) / E9
  const fee = feeOf(rule, payout)
  return fair > fee ? fair - fee : 0n
}

function root(square) {
  let low = 0n
  let high = 1n
  while (high * high <= square) high *= 2n
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (middle * middle <= square) low = middle
    else high = middle
  }
  return low
}

/** Formula 26.2.19 of Abramowitz and Stegun: the chance, in billionths, of more than `z` billionths of a deviation. */
function tailOf(z) {
  const x = z < 7n * E9 ? z : 7n * E9
  const terms = [498673470n, 211410061n, 32776263n, 380036n, 488906n, 53830n]
  let power = E18
  let sum = E18
  for (const term of terms) {
    power = (power * x) / E9
    sum += (term * power) / 10n ** 10n
  }
  for (let squared = 0; squared < 4; squared++) sum = sum ** 2n / E18
  return (E18 * E9) / (2n * sum)
}
