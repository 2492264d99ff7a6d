import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { property } from '#tests/support/property.ts'
import {
  add,
  dollars,
  LARGEST_USD,
  parseUsd,
  percentHalfUp,
  smaller,
  subtract,
  type Usd,
  usd,
  usdGrouped,
  usdToNumber,
  usdToText,
} from './money.ts'

const cents = fc
  .oneof(fc.bigInt(0n, 100_000n), fc.bigInt(0n, LARGEST_USD), fc.bigInt(LARGEST_USD - 1_000n, LARGEST_USD))
  .map((value): Usd => usd(value))

property('an amount survives a round trip through text', 50_000, [cents], (amount) => {
  expect(parseUsd(usdToText(amount))).toBe(amount)
})

property('an amount survives a round trip through a JSON number', 100_000, [cents], (amount) => {
  expect(parseUsd(JSON.parse(JSON.stringify(usdToNumber(amount))))).toBe(amount)
})

property(
  'rounds percentages half up, without floats',
  100_000,
  [cents, fc.integer({ min: 0, max: 100 })],
  (amount, percent) => {
    const rounded = percentHalfUp(amount, percent)
    // Within half a cent of the exact value; a tie rounds up.
    const twiceOff = (rounded * 100n - amount * BigInt(percent)) * 2n
    expect(twiceOff > -100n && twiceOff <= 100n).toBe(true)
  },
)

property(
  'splitting a stake never gains half a cent per part by rounding',
  50_000,
  [
    fc.array(fc.bigInt(100n, 10_000n).map(usd), { minLength: 1, maxLength: 30 }),
    fc.constantFrom(1, 3, 5, 11, 12, 13, 18, 61, 75),
  ],
  (stakes, percent) => {
    const apart = stakes.map((stake) => percentHalfUp(stake, percent)).reduce(add)
    const together = percentHalfUp(stakes.reduce(add), percent)
    expect((apart - together) * 2n <= BigInt(stakes.length) + 1n).toBe(true)
  },
)

property('addition and subtraction undo each other', 10_000, [cents, cents], (a, b) => {
  expect(subtract(add(a, b), b)).toBe(a)
})

property(
  'any text parses to an amount with at most two decimals, or not at all',
  100_000,
  [fc.oneof(fc.string(), fc.stringMatching(/^[-+0-9.,eExX_ ]{0,12}$/), fc.double().map(String))],
  (text) => {
    const [whole = '', fraction = ''] = text.split('.')
    const plain = /^\d{1,14}(\.\d{1,2})?$/.test(text)
    const hundredths = plain
      ? BigInt(whole) * 100n + (BigInt(fraction || '0') * 100n) / 10n ** BigInt(fraction.length)
      : 0n
    expect(parseUsd(text)).toBe(plain && hundredths <= LARGEST_USD ? hundredths : undefined)
  },
)

property(
  'any number parses exactly or not at all',
  100_000,
  [fc.oneof(fc.double(), fc.integer(), fc.double({ min: 0, max: 1e6 }))],
  (number) => {
    const amount = parseUsd(number)
    if (amount !== undefined) expect(usdToNumber(amount)).toBe(number)
  },
)

const hostile: readonly unknown[] = [
  -0,
  -1,
  -0.01,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number('1e309'),
  1e21,
  0.001,
  1.005,
  1.0000001,
  2 ** 53 + 2,
  5e-324,
  '-0',
  '-1',
  '+1',
  '1e3',
  '1E3',
  '0x10',
  '0b1',
  '0o7',
  'NaN',
  'Infinity',
  '１２',
  '٣',
  '1,5',
  '1 000',
  ' 1',
  '1 ',
  '1\n',
  '1.',
  '.5',
  '1.234',
  '1..2',
  '',
  '1_000',
  '9'.repeat(400),
  '70368744177664.00',
  70368744177664,
  [],
  [5],
  '5,',
  {},
  null,
  undefined,
  true,
  false,
  10n,
  new Date(),
  { valueOf: () => 5 },
]

test.each(hostile.map((unchecked) => [inspect(unchecked).slice(0, 40), unchecked]))(
  'rejects the hostile amount %s',
  (_name, unchecked) => {
    expect(parseUsd(unchecked)).toBeUndefined()
  },
)

test('parses valid amounts', () => {
  for (const [unchecked, amount] of [
    [0, 0n],
    [1, 100n],
    [10.01, 1_001n],
    [0.1, 10n],
    [0.29, 29n],
    ['12', 1_200n],
    ['12.5', 1_250n],
    ['12.50', 1_250n],
    ['007', 700n],
    ['70368744177663.99', LARGEST_USD],
    [70368744177663.99, LARGEST_USD],
  ] as const) {
    expect(parseUsd(unchecked)).toBe(amount)
  }
  expect(usdToText(usd(-5n))).toBe('-0.05')
  expect([5n, 99_999n, 100_000n, -123_456_789n].map((cents) => usdGrouped(usd(cents)))).toEqual([
    '0.05',
    '999.99',
    '1,000.00',
    '-1,234,567.89',
  ])
  expect(percentHalfUp(usd(1n), 75)).toBe(1n)
  expect(percentHalfUp(usd(2n), 75)).toBe(2n)
  expect(percentHalfUp(usd(150n), 1)).toBe(2n)
  expect(percentHalfUp(usd(149n), 1)).toBe(1n)
})

test('formats dollars with the sign before the currency', () => {
  expect([5n, 123_456_789n, -100_000n].map((cents) => dollars(usd(cents)))).toEqual([
    '$0.05',
    '$1,234,567.89',
    '-$1,000.00',
  ])
})

test('returns the smaller of two amounts in either order', () => {
  expect([smaller(usd(1n), usd(2n)), smaller(usd(2n), usd(1n)), smaller(usd(-3n), usd(-2n))]).toEqual([1n, 1n, -3n])
})

test('rejects -0 and anything that is neither a number nor text', () => {
  for (const unchecked of [undefined, null, true, [], {}, 5n, -0, '', '-0']) expect(parseUsd(unchecked)).toBeUndefined()
})
