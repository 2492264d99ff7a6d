import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { DepositForm } from '#contract/cashier.ts'
import { AdjustmentBody } from '#contract/desk/adjustments.ts'
import { usdAmount } from '#contract/fields.ts'
import { usd } from '#kernel/money.ts'
import { amountOf } from './amount.ts'

test.each([
  [1, 100n],
  [12.5, 1_250n],
  [4.35, 435n],
  [70_368_744_177_663.99, 7_036_874_417_766_399n],
])('converts the checked number %d to %d cents', (dollars, cents) => {
  expect(amountOf(z.parse(usdAmount(), dollars))).toBe(usd(cents))
})

test('converts checked text, trimmed', () => {
  expect(amountOf(z.parse(DepositForm, { usd_amount: ' 12.50 ' }).usd_amount)).toBe(usd(1_250n))
})

test('keeps the sign of an adjustment', () => {
  expect(amountOf(z.parse(AdjustmentBody, { book: 'real', amount: -4.35, reason: 'Wrong credit' }).amount)).toBe(
    usd(-435n),
  )
})

test.each([0.001, 1e-7, Number.NaN, 2 ** 46])('fails on %d, which no schema of an amount lets through', (dollars) => {
  expect(() => amountOf(dollars as Parameters<typeof amountOf>[0])).toThrow()
})
