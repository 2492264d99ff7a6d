import { expect, test } from 'vitest'
import { curvePoints, daysOffered, hourBars, rangeOf } from './backtest.ts'

test('offers only as many days as the server takes for the symbols', () => {
  expect(daysOffered(1)).toEqual([1, 2, 3, 7, 14, 31])
  expect(daysOffered(79)).toEqual([1, 2, 3])
  expect(daysOffered(1_000)).toEqual([1])
})

test('the range ends on the last day of the tape, both days included', () => {
  expect(rangeOf(Date.parse('2026-03-02T10:00:00Z'), 3)).toEqual({ from: '2026-02-28', to: '2026-03-02' })
})

test('draws a curve from the left to the right, high balances on top', () => {
  expect(
    curvePoints(
      [
        [0, 10],
        [5, 30],
        [10, 20],
      ],
      300,
      90,
    ),
  ).toBe('0,86 150,4 300,45')
  expect(curvePoints([[0, 10]], 300, 90)).toBe('300,45')
  expect(curvePoints([], 300, 90)).toBe('')
})

test('an hour without decided trades has no bar, and one without a win a thin one', () => {
  expect(
    hourBars([
      [0, 0],
      [1, 1],
      [0, 3],
    ]),
  ).toEqual([
    { hour: 1, height: 30 },
    { hour: 2, height: 1 },
  ])
})
