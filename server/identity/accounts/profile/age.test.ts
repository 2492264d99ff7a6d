import { expect, test } from 'vitest'
import { ageCheck } from './age.ts'

const now = () => Date.parse('2026-03-01T12:00:00Z')

test('a trader counts as 18 from their birthday', () => {
  const check = ageCheck({ takesMinors: false, now })
  check('2008-03-01')
  check('1985-12-10')
  for (const day of ['2008-03-02', '2020-01-01'])
    expect(() => check(day), day).toThrow('You must be at least 18 years old to open an account.')
})

test('accepts a minor if the operator has their guardian’s permission', () => {
  ageCheck({ takesMinors: true, now })('2020-01-01')
})
