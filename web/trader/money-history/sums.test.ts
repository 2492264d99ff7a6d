import { expect, test } from 'vitest'
import { sumsOf } from './sums.ts'

test('counts what is not decided yet, to the cent', () => {
  expect(
    sumsOf(
      [
        { status: 'Pending', amount: 0.1 },
        { status: 'Pending', amount: 0.2 },
        { status: 'Approved', amount: 500 },
        { status: 'Rejected', amount: 40 },
      ],
      [
        { status: 'Pending', amount: 10 },
        { status: 'Processing', amount: 5.55 },
        { status: 'Paid', amount: 700 },
        { status: 'Cancelled', amount: 3 },
      ],
    ),
  ).toEqual({ onItsWay: 0.3, held: 15.55 })
  expect(sumsOf([], [])).toEqual({ onItsWay: 0, held: 0 })
})
