import { expect, test } from 'vitest'
import { ticksOfBar } from './bars.ts'

const START = 1_522_800_000_000

test('a minute that closed higher visits its low first', () => {
  expect(ticksOfBar({ startMs: START, open: 10, high: 15, low: 8, close: 12 }, 60_000)).toEqual([
    [START, 10],
    [START + 20_000, 8],
    [START + 40_000, 15],
    [START + 59_000, 12],
  ])
})

test('a minute that closed lower or unchanged visits its high first', () => {
  for (const close of [9, 10]) {
    const prices = ticksOfBar({ startMs: START, open: 10, high: 15, low: 8, close }, 60_000).map(([, units]) => units)
    expect(prices).toEqual([10, 15, 8, close])
  }
})

test('a bar of one second keeps within its second, in order', () => {
  const times = ticksOfBar({ startMs: START, open: 10, high: 15, low: 8, close: 12 }, 1_000).map(
    ([time]) => time - START,
  )
  expect(times).toEqual([0, 333, 666, 900])
})
