import { expect, test } from 'vitest'
import { PLANS } from '#contract/terms.ts'
import { differenceOf, NEXT, nameOf, priceOf, whyNoRequest } from './ladder.ts'

test('a plan value contains its name and price', () => {
  for (const { name, value, priceUsd } of PLANS) expect(value.toUpperCase()).toBe(`${name}-${priceUsd}`)
  expect(PLANS.map(({ value }) => priceOf(value))).toEqual([300_000n, 760_000n, 2_119_900n, 5_073_000n])
  expect([priceOf(''), nameOf(''), nameOf('Gold-7600')]).toEqual([0n, 'None', 'Gold'])
})

test('an upgrade costs the difference, so every path costs the same', () => {
  const steps = [
    ['', 'Beginner-3000'],
    ['Beginner-3000', 'Platinum-21199'],
    ['Platinum-21199', 'Diamond-50730'],
  ] as const
  expect(steps.reduce((sum, [from, to]) => sum + differenceOf(from, to), 0n)).toBe(differenceOf('', 'Diamond-50730'))
})

test('allows requesting a higher plan only, one at a time', () => {
  const plans = PLANS.map(({ value }) => value)
  for (const [at, current] of plans.entries()) {
    for (const [to, wanted] of plans.entries()) {
      expect(whyNoRequest(current, null, wanted) === undefined).toBe(to > at)
      expect(whyNoRequest(current, 'Diamond-50730', wanted)).toMatch(/still/)
      expect(whyNoRequest('', null, wanted)).toMatch(/don't have a plan/)
    }
  }
})

test('a decision is final', () => {
  expect(NEXT).toEqual({ Pending: ['Approved', 'Rejected', 'Cancelled'], Approved: [], Rejected: [], Cancelled: [] })
})
