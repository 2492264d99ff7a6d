import { expect, test } from 'vitest'
import { amountWarning } from './amount-warning.ts'

test('a credit is odd above twice and below half of the submitted amount', () => {
  for (const usual of [4.75, 9.5, 19, 10]) expect(amountWarning(usual, 9.5)).toBeUndefined()
  expect(amountWarning(950, 9.5)).toBe('$950.00 is more than twice the submitted amount of $9.50.')
  expect(amountWarning(19.01, 9.5)).toMatch(/more than twice/)
  expect(amountWarning(4.74, 9.5)).toBe('$4.74 is less than half of the submitted amount of $9.50.')
})
