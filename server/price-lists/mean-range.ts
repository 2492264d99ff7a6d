/** Two-sided 95% quantiles of Student's t distribution, by degrees of freedom from 1 on; later ones are nearly the last. */
const T = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
]

/** Values from which a range is shown: with fewer it would say nothing. */
const SHOWN_FROM = 3

/**
 * Returns the 95% interval of the mean of values that don't depend on each other, such as those of different days;
 * undefined for fewer than three.
 */
export function meanRange(values: readonly number[]): { low: number; high: number } | undefined {
  if (values.length < SHOWN_FROM) return undefined
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
  const half = (T[Math.min(values.length - 1, T.length) - 1] ?? 0) * Math.sqrt(variance / values.length)
  return { low: mean - half, high: mean + half }
}
