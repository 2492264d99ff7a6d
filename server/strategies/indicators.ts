/** The exponential moving averages of `interval` values, one for each value. The first value begins the average. */
export function exponentialAverages(values: readonly number[], interval: number): number[] {
  const weight = 2 / (interval + 1)
  let average = values[0]!
  return values.map((value) => {
    average = value * weight + average * (1 - weight)
    return average
  })
}

/**
 * Wilder's relative strength index of the last of these values, from 0 to 100: a simple average of the first `interval`
 * gains and losses, then smoothed as Wilder defined it. Takes at least `interval + 1` values.
 */
export function relativeStrength(values: readonly number[], interval: number): number {
  const changes = values.slice(1).map((value, n) => value - values[n]!)
  const share = 1 / interval
  const smoothed = (moves: readonly number[]): number =>
    moves
      .slice(interval)
      .reduce((average, move) => average + (move - average) * share, meanOf(moves.slice(0, interval)))
  const gain = smoothed(changes.map((change) => Math.max(change, 0)))
  const loss = smoothed(changes.map((change) => Math.max(-change, 0)))
  return loss === 0 ? 100 : 100 - 100 / (1 + gain / loss)
}

/** The Bollinger band of all of these values: so many standard deviations above and below their mean. */
export function bollingerBand(values: readonly number[], deviations: number) {
  const middle = meanOf(values)
  const deviation = Math.sqrt(meanOf(values.map((value) => (value - middle) ** 2)))
  return { lower: middle - deviations * deviation, middle, upper: middle + deviations * deviation }
}

/** The Donchian channel of all of these candles: their highest and lowest price. */
export const donchianChannel = (candles: readonly { high: number; low: number }[]) => ({
  upper: Math.max(...candles.map(({ high }) => high)),
  lower: Math.min(...candles.map(({ low }) => low)),
})

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
