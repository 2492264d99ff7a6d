import { expect, test } from 'vitest'
import { levelsNear } from './levels-near.ts'

const BARS = [
  { high: 200, low: 190 },
  { high: 110, low: 100 },
  { high: 112, low: 102 },
  { high: 108, low: 101 },
]
const near = (...levels: number[]) => levelsNear(BARS, { from: 1, to: 3.4 }, levels)

test('the chart makes room for levels up to half of its height away', () => {
  expect(near(118, 94)).toEqual({ minValue: 94, maxValue: 118 })
  expect(near(118.1, 93.9, 105)).toEqual({ minValue: 105, maxValue: 105 })
  expect(near(119, 93)).toBeUndefined()
  expect(near()).toBeUndefined()
})

test('without bars in sight there is no room', () => {
  expect(levelsNear(BARS, { from: 4, to: 9 }, [105])).toBeUndefined()
  expect(levelsNear([], { from: 0, to: 9 }, [105])).toBeUndefined()
})
