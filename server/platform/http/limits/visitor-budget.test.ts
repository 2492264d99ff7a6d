import { expect, test } from 'vitest'
import { Problem } from '#contract/problem.ts'
import { visitorBudget } from './visitor-budget.ts'

function attempt(begin: () => (usedMs: number) => void): ((usedMs: number) => void) | Problem {
  try {
    return begin()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

test('charges a network for the time its requests took, and refills its budget', () => {
  let now = 0
  const budget = visitorBudget(1, { now: () => now })
  for (let n = 0; n < 16; n++) budget.begin('a')(500)
  const refused = attempt(() => budget.begin('a')) as Problem
  expect(refused).toMatchObject({ code: 'too_many_requests' })
  expect(attempt(() => budget.begin('b'))).toBeTypeOf('function')
  now = refused.retryAfterSeconds! * 1_000 - 1
  expect(attempt(() => budget.begin('a'))).toBeInstanceOf(Problem)
  now += 2
  expect(attempt(() => budget.begin('a'))).toBeTypeOf('function')
})

test('charges a minimum for a request that took no time', () => {
  const budget = visitorBudget(1, { now: () => 0 })
  let calls = 0
  for (
    let begun = attempt(() => budget.begin('a'));
    typeof begun === 'function';
    begun = attempt(() => budget.begin('a'))
  ) {
    begun(0)
    calls++
  }
  expect(calls).toBeGreaterThan(3_000)
  expect(calls).toBeLessThan(4_001)
})

test('rejects parallel requests before any of them has ended', () => {
  const budget = visitorBudget(1, { now: () => 0 })
  let running = 0
  while (typeof attempt(() => budget.begin('a')) === 'function') running++
  expect(running).toBe(320)
})

test('rejects new networks when too many are over budget, and forgets the rest', () => {
  let now = 0
  const budget = visitorBudget(1, { now: () => now, networksMax: 2 })
  for (let n = 0; n < 2; n++) budget.begin('a')(500)
  budget.begin('b')(500)
  expect(attempt(() => budget.begin('c'))).toBeInstanceOf(Problem)
  now = 2_100
  expect(attempt(() => budget.begin('c'))).toBeTypeOf('function')
})

test('is off without a factor', () => {
  const budget = visitorBudget(undefined)
  for (let n = 0; n < 10_000; n++) budget.begin('a')(1_000)
})
