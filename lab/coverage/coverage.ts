import { hitRate, type Tally } from '#contract/prices/measured.ts'
import { STRATEGIES } from '#server/strategies/index.ts'
import { type Choice, simulateDay } from './simulate.ts'

const TRUTH = 50

interface Coverage {
  name: string
  days: number
  /** Share of the days whose interval contains the true hit rate, percent: by closes, and if every signal counted. */
  byCloses: number
  bySignals: number
  /** Means of a day: signals, the independent ones that would be as sure, and half of the interval, percent. */
  signals: number
  effective: number
  margin: number
}

/** Measures how often the intervals of simulated days contain the true hit rate. `progress` gets each day's seed. */
export function measureCoverage(
  { from, to }: { from: number; to: number },
  choice: Choice,
  progress?: (seed: number) => void,
): Coverage[] {
  const sums = STRATEGIES.map(() => ({ days: 0, closes: 0, each: 0, signals: 0, effective: 0, margin: 0 }))
  for (let seed = from; seed <= to; seed++) {
    simulateDay(seed, choice).forEach((tally, strategy) => {
      const hit = hitRate(tally)
      const sum = sums[strategy]!
      // A day without a signal has no interval.
      if (!hit) return
      sum.days++
      sum.closes += Number(hit.low <= TRUTH && TRUTH <= hit.high)
      sum.each += Number(containsIfSignalsCounted(tally))
      sum.signals += tally.won + tally.lost
      sum.effective += hit.effective
      sum.margin += (hit.high - hit.low) / 2
    })
    progress?.(seed)
  }
  return STRATEGIES.map(({ name }, strategy) => {
    const { days, closes, each, signals, effective, margin } = sums[strategy]!
    return {
      name,
      days,
      byCloses: (closes / days) * 100,
      bySignals: (each / days) * 100,
      ...{ signals: signals / days, effective: effective / days, margin: margin / days },
    }
  })
}

function containsIfSignalsCounted({ won, lost }: Tally): boolean {
  // As many closes as signals: each counts.
  const { low, high } = hitRate({ won, lost, spread: { closes: won + lost, ww: won, wl: 0, ll: lost } })!
  return low <= TRUTH && TRUTH <= high
}
