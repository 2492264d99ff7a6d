import fc from 'fast-check'
import { expect, test } from 'vitest'
import { property } from '#tests/support/property.ts'
import { expectedLosingRun } from './chance.ts'

/** The same, exactly: over the lengths of the run at the end and of the longest so far. */
function exact(trades: number, lossRate: number): number {
  let states = new Map([['0,0', 1]])
  for (let n = 0; n < trades; n++) {
    const next = new Map<string, number>()
    const add = (key: string, chance: number) => next.set(key, (next.get(key) ?? 0) + chance)
    for (const [key, chance] of states) {
      const [run, longest] = key.split(',').map(Number) as [number, number]
      add(`0,${longest}`, chance * (1 - lossRate))
      add(`${run + 1},${Math.max(longest, run + 1)}`, chance * lossRate)
    }
    states = next
  }
  return [...states].reduce((sum, [key, chance]) => sum + Number(key.split(',')[1]) * chance, 0)
}

property(
  'is what counting over all ways of winning and losing gives',
  60,
  [fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 100 })],
  (trades, percent) => {
    expect(expectedLosingRun(trades, percent / 100)).toBeCloseTo(exact(trades, percent / 100), 4)
  },
)

test('knows the ends', () => {
  expect(expectedLosingRun(10, 0)).toBe(0)
  expect(expectedLosingRun(10, 1)).toBe(10)
  expect(expectedLosingRun(1, 0.5)).toBeCloseTo(0.5)
  expect(expectedLosingRun(132, 55 / 132)).toBeCloseTo(5.11, 1)
})
