import { expect, test } from 'vitest'
import { PLANS } from '#web/ui/index.ts'
import { missingFor, planStateOf } from './plan-state.ts'

const buttons = (trading_plan: string, requested?: string) =>
  PLANS.map(({ value }) =>
    planStateOf(value, {
      trading_plan,
      plan_request: requested ? { plan: requested.split('-')[0]!, trading_plan: requested, status: 'Pending' } : null,
    }),
  )

test('shows the right button for each plan', () => {
  expect(buttons('')).toEqual(['Request Plan', 'Request Plan', 'Request Plan', 'Request Plan'])
  expect(buttons('Beginner-3000')).toEqual(['Active', 'Request Upgrade', 'Request Upgrade', 'Request Upgrade'])
  expect(buttons('Gold-7600', 'Diamond-50730')).toEqual(['Nil', 'Active', 'Request Upgrade', 'Requested'])
  expect(buttons('Diamond-50730')).toEqual(['Nil', 'Nil', 'Nil', 'Active'])
  expect(PLANS.map(({ value }) => planStateOf(value, null))).toEqual(['Nil', 'Nil', 'Nil', 'Nil'])
})

test('computes the shortfall to the cent', () => {
  expect(missingFor(3_000, 2_999.99)).toBe(0.01)
  expect(missingFor(3_000, 3_000)).toBe(0)
  expect(missingFor(3_000, 50_000)).toBe(0)
})
