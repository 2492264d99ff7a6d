import { expect, test } from 'vitest'
import { measureCoverage } from './coverage.ts'
import { pairsAgainst } from './simulate.ts'

/**
 * 200 days: of a coverage of 95 %, the share found has a standard deviation of 1.5 %; these bounds are 4 of them. The lab
 * simulates 2,000 days with all symbols (`lab/coverage/command.ts`).
 */
test('the 95 % interval of a day contains the true hit rate as often as it says, for every strategy', {
  timeout: 300_000,
}, () => {
  // Every second coin.
  const pairs = pairsAgainst(['USDT', 'USD']).filter((_, n) => n % 2 === 0)
  const coverage = measureCoverage({ from: 1, to: 200 }, { pairs, durationSeconds: 300 })
  for (const { name, days, byCloses, bySignals } of coverage) {
    expect(days, name).toBe(200)
    expect(byCloses, name).toBeGreaterThan(89)
    expect(byCloses, name).toBeLessThan(99.9)
    // The simulated symbols are correlated: the test would notice an interval that counts signals.
    expect(bySignals, name).toBeLessThan(85)
  }
})
