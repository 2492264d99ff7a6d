/**
 * Returns how long the longest losing run of so many trades is on average, if each loses with this probability and
 * independently of the others: the sum over all lengths of the probability that there is a run of that length.
 */
export function expectedLosingRun(trades: number, lossRate: number): number {
  let expected = 0
  for (let length = 1; length <= trades; length++) {
    const chance = 1 - chanceWithout(length, trades, lossRate)
    expected += chance
    if (chance < 1e-6) break
  }
  return expected
}

/**
 * Returns the probability that there is no run of `length` losses. One that ends first with trade m follows a win and no
 * earlier run.
 */
function chanceWithout(length: number, trades: number, lossRate: number): number {
  const run = lossRate ** length
  const without = new Float64Array(trades + 1).fill(1)
  for (let m = length; m <= trades; m++) {
    const first = m === length ? run : (1 - lossRate) * run * (without[m - length - 1] ?? 0)
    without[m] = (without[m - 1] ?? 0) - first
  }
  return without[trades] ?? 1
}
