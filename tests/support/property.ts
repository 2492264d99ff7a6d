import fc from 'fast-check'
import { test } from 'vitest'

/** Drawn anew for each run; `SEED=… npm test` repeats one. A failure names it too, with the smallest case found. */
export const SEED = Number(process.env.SEED || Math.floor(Math.random() * 2 ** 31))

let told = false

/** A test that holds for everything that can be drawn. `runs` cases; `holds` throws where something does not hold (an expectation). */
export function property<Values extends [unknown, ...unknown[]]>(
  name: string,
  runs: number,
  arbitraries: { [I in keyof Values]: fc.Arbitrary<Values[I]> },
  holds: (...values: Values) => void,
): void {
  if (!told) process.stdout.write(`properties are drawn with SEED=${SEED}\n`)
  told = true
  test(name, () => fc.assert(fc.property(...arbitraries, holds), { seed: SEED, numRuns: runs }), 60_000)
}
