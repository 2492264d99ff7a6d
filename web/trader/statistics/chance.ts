/**
 * Returns how long the longest losing run of so many trades is on average, if each loses with this probability and
 * independently. A run of k or more begins with the first trade with probability q^k, and after each win with p q^k: the
 * chance that none does is close to the product of the chances that each doesn't.
 */
export function expectedLosingRun(trades: number, lossRate: number): number {
  if (lossRate >= 1) return trades
  let expected = 0
  for (let length = 1; length <= trades; length++) {
    const run = lossRate ** length
    const chance = 1 - (1 - run) * (1 - (1 - lossRate) * run) ** (trades - length)
    expected += chance
    if (chance < 1e-9) break
  }
  return expected
}
