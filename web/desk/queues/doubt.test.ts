import { expect, test } from 'vitest'
import { doubtOf } from './doubt.ts'

test('a credit is odd above twice and below half of the submitted amount', () => {
  for (const usual of [4.75, 9.5, 19, 10]) expect(doubtOf(usual, 9.5)).toBeUndefined()
  expect(doubtOf(950, 9.5)).toBe('$950.00 is more than twice the submitted amount of $9.50.')
  expect(doubtOf(19.01, 9.5)).toMatch(/more than twice/)
  expect(doubtOf(4.74, 9.5)).toBe('$4.74 is less than half of the submitted amount of $9.50.')
})
