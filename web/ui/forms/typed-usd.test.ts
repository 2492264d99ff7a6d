import { globSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseUsd, usd, usdGrouped, usdToText } from '#kernel/money.ts'
import { property } from '#tests/support/property.ts'
import { dollarsOf, readUsd } from './typed-usd.ts'
import { typedUsd } from './usd-rule.ts'

const centsOf = (typed: string) => readUsd(typed).amount

describe('is understood', () => {
  test.each([
    ['950', 95_000n],
    ['9,50', 950n],
    ['9.50', 950n],
    ['9,5', 950n],
    ['12,50', 1_250n],
    ['0,9', 90n],
    ['.5', 50n],
    [',5', 50n],
    ['5.', 500n],
    ['  12.34 ', 1_234n],
    ['$1,500.00', 150_000n],
    ['$ 20', 2_000n],
    ['1500', 150_000n],
    ['1500,5', 150_050n],
    ['1,500.00', 150_000n],
    ['1.500,00', 150_000n],
    ['1 500,00', 150_000n],
    ['1\u00a0500', 150_000n],
    ['1\u202f500,5', 150_050n],
    ['1,234,567.89', 123_456_789n],
    ['1.234.567', 123_456_700n],
    ['007,50', 750n],
    ['0', 0n],
    ['70368744177663.99', 7_036_874_417_766_399n],
  ])('%j', (typed, cents) => {
    expect(readUsd(typed)).toEqual({ amount: cents })
    expect(dollarsOf(typed)).toBe(Number(cents) / 100)
  })
})

describe('is refused with the reason', () => {
  const TWO_DECIMALS = 'must be an amount with at most two decimals'
  const NO_AMOUNT = 'must be an amount such as 12.50'
  const DIGITS = 'must be written with the digits 0 to 9'
  test.each([
    ['', 'must not be empty'],
    [' $ ', 'must not be empty'],
    ['1,500', 'can mean thousands or decimals. Write 1500 or 1,500.00'],
    ['1.500', 'can mean thousands or decimals. Write 1500 or 1,500.00'],
    ['12,345', 'can mean thousands or decimals. Write 12345 or 12,345.00'],
    ['0,500', TWO_DECIMALS],
    ['.500', TWO_DECIMALS],
    ['1234.567', TWO_DECIMALS],
    ['12.3456', TWO_DECIMALS],
    ['1,500.000', TWO_DECIMALS],
    ['0.009', TWO_DECIMALS],
    ['1,50,000', NO_AMOUNT],
    ['1,00,000.00', NO_AMOUNT],
    ['12,34.50', NO_AMOUNT],
    ['1,500 000', NO_AMOUNT],
    ['0,500.00', NO_AMOUNT],
    ['1 50', NO_AMOUNT],
    ['1..5', NO_AMOUNT],
    ['.', NO_AMOUNT],
    ['ten', NO_AMOUNT],
    ['1e3', NO_AMOUNT],
    ['1E3', NO_AMOUNT],
    ['0x10', NO_AMOUNT],
    ['12.50 USD', NO_AMOUNT],
    ['5%', NO_AMOUNT],
    ['+5', NO_AMOUNT],
    ['Infinity', NO_AMOUNT],
    ["1'500.00", NO_AMOUNT],
    ['1\u200b2', NO_AMOUNT],
    ['12٫50', NO_AMOUNT],
    ['9，50', NO_AMOUNT],
    ['-5', 'must not be negative'],
    ['−5', 'must not be negative'],
    ['١٢', DIGITS],
    ['１２', DIGITS],
    ['1२', DIGITS],
    ['70368744177664', 'is too large'],
    ['99999999999999.99', 'is too large'],
    ['123456789012345', NO_AMOUNT],
  ])('%j', (typed, problem) => {
    expect(readUsd(typed)).toEqual({ problem })
    expect(dollarsOf(typed)).toBeUndefined()
  })
})

test('the rule of a field gives plain text, and names the minimum', () => {
  expect(typedUsd().parse('1.500,5')).toBe('1500.50')
  const reason = (typed: string, min?: number) => typedUsd(min).safeParse(typed).error?.issues[0]?.message
  expect(reason('0,99')).toBe('must be at least 1')
  expect(reason('9,99', 10)).toBe('must be at least 10')
  expect(reason('')).toBe('must not be empty')
  expect(reason('1,500')).toMatch(/^can mean thousands or decimals/)
})

test('no screen reads an amount in another way', () => {
  const ours = globSync('web/**/*.{ts,tsx}').filter((path) => !/\.test\.|typed-usd\.ts$/.test(path))
  expect(ours.length).toBeGreaterThan(300)
  const others = ours.filter((path) =>
    /parseUsd|usdText\(|type="number"|replaceAll\(','/.test(readFileSync(path, 'utf8')),
  )
  expect(others).toEqual([])
})

/** Ways in which people write amounts: decimal mark, thousands mark, and how many digits a group has. */
const LOCALES = [
  'en-US',
  'de-DE',
  'fr-FR',
  'sv-SE',
  'pl-PL',
  'es-ES',
  'pt-BR',
  'de-CH',
  'de-AT',
  'en-IN',
  'ar-EG',
  'fa-IR',
  'hi-IN',
]

property(
  'an amount written as in any country is that amount, or nothing',
  20_000,
  [fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.constantFrom(...LOCALES), fc.constantFrom(0, 1, 2), fc.boolean()],
  (cents, locale, decimals, useGrouping) => {
    const unit = 10n ** BigInt(2 - decimals)
    const meant = (cents / unit) * unit
    const typed = new Intl.NumberFormat(locale, {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
      useGrouping,
    }).format(Number(meant) / 100)
    expect([meant, undefined], typed).toContain(centsOf(typed))
    expect(centsOf(usdToText(usd(meant)))).toBe(meant)
    expect(centsOf(usdGrouped(usd(meant)))).toBe(meant)
  },
)

/** Every amount that a text of digits and marks could mean, by trying each mark as each. */
function meanings(text: string): Set<string> {
  const found = new Set<string>()
  const marks = [...text.matchAll(/[., ]/g)].map(({ index }) => index)
  for (const at of [undefined, ...marks.filter((index) => text[index] !== ' ')]) {
    const [whole, decimals] = at === undefined ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
    if (!/^\d*$/.test(decimals)) continue
    const separators = new Set(whole.replaceAll(/\d/g, ''))
    if (separators.size > 1 || (at !== undefined && separators.has(text[at]!))) continue
    const groups = whole.split(/[., ]/)
    if (groups.length > 1 && !groups.every((group, n) => (n === 0 ? /^[1-9]\d{0,2}$/ : /^\d{3}$/).test(group))) continue
    found.add(`${groups.join('').replace(/^0+/, '')}.${decimals.replace(/0+$/, '')}`)
  }
  return found
}

property(
  'what is read of any digits and marks is the one amount that they can mean',
  20_000,
  [fc.string({ unit: fc.constantFrom(...'0123456789,,.. '), minLength: 1, maxLength: 12 })],
  (text) => {
    const amount = centsOf(text)
    const possible = meanings(text.trim())
    if (amount === undefined) return
    expect([...possible], text).toEqual([usdToText(amount).replace(/^0+/, '').replace(/0+$/, '')])
  },
)

property(
  'what is read of any text is never more than its digits say, and calls take it',
  20_000,
  [fc.string({ unit: 'grapheme', maxLength: 16 })],
  (text) => {
    const amount = centsOf(text)
    if (amount === undefined) return
    expect(amount).toBeLessThanOrEqual(BigInt(text.replaceAll(/\D/g, '')) * 100n)
    expect(parseUsd(usdToText(amount))).toBe(amount)
  },
)
