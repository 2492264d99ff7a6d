import { globSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arrivalFields } from '#contract/desk/parts.ts'
import { property } from '#tests/support/property.ts'
import { decimalOf, readDecimal } from './typed-number.ts'

const takesCoins = (text: string) => arrivalFields.coin_amount.safeParse(text).success

describe('a number with decimals', () => {
  test.each([
    ['0.05', '0.05'],
    [' 1.5 ', '1.5'],
    ['12', '12'],
    ['1.234', '1.234'],
    ['007.5', '007.5'],
    ['0', '0'],
    ['0.00000001', '0.00000001'],
    ['999999999999', '999999999999'],
  ])('reads %j', (typed, decimal) => {
    expect(readDecimal(typed, 8)).toEqual({ decimal })
    expect(decimalOf(typed, 8)).toBe(Number(decimal))
  })

  const NO_NUMBER = 'must be a number such as 12.5'
  const COMMA = 'must have a point for decimals, and no commas'
  const DIGITS = 'must be written with the digits 0 to 9'
  test.each([
    ['', 'must not be empty'],
    [' ', 'must not be empty'],
    ['1e3', NO_NUMBER],
    ['1E3', NO_NUMBER],
    ['0x10', NO_NUMBER],
    ['0b11', NO_NUMBER],
    ['Infinity', NO_NUMBER],
    ['+5', NO_NUMBER],
    ['5.', NO_NUMBER],
    ['.5', NO_NUMBER],
    ['1.2.3', NO_NUMBER],
    ['1 500', NO_NUMBER],
    ['5%', NO_NUMBER],
    ['ten', NO_NUMBER],
    ['1\u200b2', NO_NUMBER],
    ['0,5', COMMA],
    ['1,500', COMMA],
    ['1,50,000', COMMA],
    ['1.500,00', COMMA],
    ['-1', 'must not be negative'],
    ['−1', 'must not be negative'],
    ['١٢', DIGITS],
    ['１２', DIGITS],
    ['1२', DIGITS],
    ['0.000000001', 'must have at most 8 decimals'],
    ['1000000000000', 'is too large'],
  ])('refuses %j with the reason, as the call for coins does', (typed, problem) => {
    expect(readDecimal(typed, 8)).toEqual({ problem })
    expect(decimalOf(typed, 8)).toBeNaN()
    expect(takesCoins(typed)).toBe(false)
  })
})

describe('a whole number', () => {
  test.each(['1.5', '1.0', '1e1', '0x10', '2,5', '1 0'])('refuses %j', (typed) => {
    expect(readDecimal(typed, 0)).toEqual({ problem: 'must be a whole number' })
  })

  test('is read', () => expect(decimalOf('25', 0)).toBe(25))
})

property(
  'what is read of any text has its digits in their order, and the call for coins takes it',
  20_000,
  [
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 14 }),
      fc.string({ unit: fc.constantFrom(...'0123456789.,ex ') }),
    ),
  ],
  (text) => {
    const { decimal } = readDecimal(text, 8)
    if (decimal === undefined) return
    expect(decimal).toBe(text.trim())
    expect(decimal).toMatch(/^[0-9]+(\.[0-9]+)?$/)
    expect(takesCoins(decimal)).toBe(Number(decimal) > 0)
  },
)

/** Where the desk makes a number of what the server sent, of a choice, or of an amount that was read. */
const NUMBERS = [
  'web/desk/queues/money/deposit-reversal.tsx',
  'web/desk/queues/people/ruling.tsx',
  'web/desk/risk/feeds.tsx',
  'web/desk/risk/reconciliation.tsx',
  'web/desk/users/user-guardrails.tsx',
]

test('no screen of the desk reads a number in another way', () => {
  const ours = globSync('web/desk/**/*.{ts,tsx}').filter((path) => !path.includes('.test.'))
  expect(ours.length).toBeGreaterThan(100)
  const others = ours.filter((path) =>
    /\b(Number\(|map\(Number\)|parseFloat|parseInt|valueAsNumber|z\.coerce)/.test(readFileSync(path, 'utf8')),
  )
  expect(others.toSorted()).toEqual(NUMBERS)
})
