import type { Ms } from '../time.ts'

/** What an indicator looks at. */
export interface Candle {
  /** The start of its period. */
  time: Ms
  open: number
  high: number
  low: number
  close: number
  /** Absent where the source has none; the tape has none. */
  volume?: number
}

/**
 * A series that is computed value by value, so it can't look ahead. Returns undefined during its warm-up. `replace`
 * computes the newest value again with another input, as a chart does while its last candle is open; anything before it
 * stays. Whether there is a value depends on the number of inputs only.
 */
export type Series<In, Out> = (input: In, replace?: boolean) => Out | undefined

/** The newest `length` values, oldest first. */
export function windowOf<T>(length: number): Series<T, readonly T[]> {
  const kept: T[] = []
  return (value, replace) => {
    if (replace) kept.pop()
    kept.push(value)
    if (kept.length > length * 2) kept.splice(0, length)
    return kept.length < length ? undefined : kept.slice(-length)
  }
}

/** A state that each value changes. States aren't changed in place, so that the newest step can be repeated. */
export function recursion<In, State>(
  initial: State,
  step: (state: State, value: In) => State,
): (value: In, replace?: boolean) => State {
  let [before, now] = [initial, initial]
  return (value, replace) => {
    if (!replace) before = now
    now = step(before, value)
    return now
  }
}

/** Withholds the first `length - 1` values. */
export function from<In, Out>(length: number, series: Series<In, Out>): Series<In, Out> {
  let count = 0
  return (value, replace) => {
    if (!replace || count === 0) count++
    const result = series(value, replace)
    return count < length ? undefined : result
  }
}

/** Feeds a series with the results of another one. */
export function chain<In, Between, Out>(first: Series<In, Between>, second: Series<Between, Out>): Series<In, Out> {
  return (value, replace) => {
    const between = first(value, replace)
    return between === undefined ? undefined : second(between, replace)
  }
}

/** Computes a series over a list: one entry for each input. */
export const valuesOf = <In, Out>(series: Series<In, Out>, inputs: readonly In[]): (Out | undefined)[] =>
  inputs.map((input) => series(input))

/** Computes a series over a list, and returns its newest value. */
export function newestOf<In, Out>(series: Series<In, Out>, inputs: readonly In[]): Out | undefined {
  let newest: Out | undefined
  for (const input of inputs) newest = series(input)
  return newest
}

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

export const highestOf = (candles: readonly Pick<Candle, 'high'>[]): number =>
  candles.reduce((highest, { high }) => Math.max(highest, high), Number.NEGATIVE_INFINITY)

export const lowestOf = (candles: readonly Pick<Candle, 'low'>[]): number =>
  candles.reduce((lowest, { low }) => Math.min(lowest, low), Number.POSITIVE_INFINITY)
