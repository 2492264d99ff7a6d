import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { AdjustmentBody } from './desk/adjustments.ts'
import { usdAmount, usdText } from './fields.ts'

const problemOf = (schema: z.ZodMiniType, sent: unknown) =>
  z.safeParse(schema, sent).error?.issues.map(({ message }) => message)

test.each([
  [1, 100n],
  [12.5, 1_250n],
  [4.35, 435n],
  [70_368_744_177_663.99, 7_036_874_417_766_399n],
])('reads the number %d as %d cents, and writes the same number', (dollars, cents) => {
  const amount = z.parse(usdAmount(), dollars)
  expect(amount).toBe(cents)
  expect(z.encode(usdAmount(), amount)).toBe(dollars)
})

test('reads text, trimmed', () => {
  expect(z.parse(usdText(), ' 12.50 ')).toBe(1_250n)
})

test('reads an adjustment with its sign', () => {
  const { amount } = z.parse(AdjustmentBody, { book: 'real', amount: -4.35, reason: 'Wrong credit' })
  expect(amount).toBe(-435n)
})

const NO_AMOUNT = 'must be an amount with at most two decimals'

test.each([
  [undefined, 'must not be empty'],
  ['1', 'must be a number'],
  [Number.NaN, 'must be a number'],
  [0.001, NO_AMOUNT],
  [1e-7, NO_AMOUNT],
  [-0, NO_AMOUNT],
  [-1, NO_AMOUNT],
  [2 ** 46, NO_AMOUNT],
  [0.99, 'must be at least 1'],
  [0, 'must be at least 1'],
])('rejects the number %s with one message: %s', (sent, message) => {
  expect(problemOf(usdAmount(), sent)).toEqual([message])
})

test.each([
  [undefined, 'must not be empty'],
  [1, 'must be text'],
  [' ', 'must not be empty'],
  ['1e2', NO_AMOUNT],
  ['1.001', NO_AMOUNT],
  ['0.99', 'must be at least 1'],
])('rejects the text %s with one message: %s', (sent, message) => {
  expect(problemOf(usdText(), sent)).toEqual([message])
})

test.each([0, -0, 0.001, -(2 ** 46)])('rejects %d as an adjustment', (amount) => {
  expect(problemOf(AdjustmentBody, { book: 'real', amount, reason: 'Wrong credit' })).toEqual([
    `${NO_AMOUNT}, above or below 0`,
  ])
})
