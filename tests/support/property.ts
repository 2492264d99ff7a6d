import fc from 'fast-check'
import { test } from 'vitest'

/** Random for each run; `SEED=… npm test` repeats one. A failure reports the seed and the smallest failing case. */
export const SEED = Number(process.env.SEED || Math.floor(Math.random() * 2 ** 31))

/** Share of each property's cases to run: `npm run mutants` lowers it. */
const SHARE = Number(process.env.PROPERTY_RUNS ?? 1)

let printed = false

/**
 * Defines a property-based test. Runs `runs` random cases; `holds` throws if the property is violated (a failed
 * expectation).
 */
export function property<Values extends [unknown, ...unknown[]]>(
  name: string,
  runs: number,
  arbitraries: { [I in keyof Values]: fc.Arbitrary<Values[I]> },
  holds: (...values: Values) => void,
): void {
  if (!printed) process.stdout.write(`properties are drawn with SEED=${SEED}\n`)
  printed = true
  test(
    name,
    () => fc.assert(fc.property(...arbitraries, holds), { seed: SEED, numRuns: Math.ceil(runs * SHARE) }),
    60_000,
  )
}
