import fc from 'fast-check'
import { expect, test } from 'vitest'
import { property } from '#tests/support/property.ts'
import { floatOfPrice, floatOfShort, formatPrice, parsePrice, price } from './price.ts'

const units = fc.oneof(fc.bigInt(1n, 100_000n), fc.bigInt(1n, 10n ** 18n - 1n)).map(price)
const scale = fc.integer({ min: 0, max: 15 })

property('a price survives a round trip through text', 100_000, [units, scale], (value, places) => {
  expect(parsePrice(formatPrice(value, places), places)).toBe(value)
})

property(
  'a price as a float is the one that its decimal text means',
  100_000,
  [fc.bigInt(1n, 2n ** 53n), scale],
  (value, places) => {
    expect(floatOfPrice(Number(value), places)).toBe(Number(formatPrice(price(value), places)))
  },
)

property(
  'an exponent and its plain form are the same price',
  50_000,
  [units, scale, fc.integer({ min: -30, max: 10 })],
  (value, places, exponent) => {
    const text = `${value}e${exponent}`
    const plain = exponent >= 0 ? `${value}${'0'.repeat(exponent)}` : shifted(value.toString(), -exponent)
    if (plain.split('.').every((part) => part.length <= 30))
      expect(parsePrice(text, places)).toBe(parsePrice(plain, places))
  },
)

property(
  'rounds digits beyond the scale half up',
  50_000,
  [fc.bigInt(1n, 10n ** 15n), fc.bigInt(0n, 999n), fc.integer({ min: 0, max: 12 })],
  (whole, fine, places) => {
    const text = formatPrice(price(whole * 1_000n + fine), places + 3)
    expect(parsePrice(text, places)).toBe(fine >= 500n ? whole + 1n : whole)
  },
)

property(
  'any text parses to a positive price or nothing, without throwing',
  100_000,
  [fc.oneof(fc.string(), fc.stringMatching(/^[-+0-9.eE]{0,14}$/), fc.double().map(String)), scale],
  (text, places) => {
    const parsed = parsePrice(text, places)
    if (parsed === undefined) return
    expect(parsed > 0n && parsed < 10n ** 18n).toBe(true)
    expect(text).toMatch(/^\d+(\.\d+)?([eE][+-]?\d{1,2})?$/)
  },
)

const shortText = fc.tuple(fc.bigInt(0n, 10n ** 15n - 1n), fc.integer({ min: 0, max: 12 })).map(([units, places]) => {
  const text = formatPrice(price(units), places)
  return text.length <= 16 ? text : text.slice(0, 15)
})

property('floats of short decimals compare as the decimals do', 100_000, [shortText, shortText], (a, b) => {
  const [x, y] = [floatOfShort(a), floatOfShort(b)]
  if (a.endsWith('.') || b.endsWith('.')) return
  expect(x).toBe(Number(a))
  const [exactX, exactY] = [a, b].map((text) => parsePrice(text, 20, 10n ** 40n) ?? 0n)
  expect(Math.sign(x! - y!)).toBe(exactX! === exactY! ? 0 : exactX! > exactY! ? 1 : -1)
})

test.each([
  '',
  '0',
  '0.000',
  '-1',
  '+1',
  'NaN',
  'Infinity',
  '1e400',
  '1e31',
  '0x10',
  '１',
  '1,5',
  ' 1',
  '1\n',
  '1.',
  '.5',
  '1e',
  '1e+',
  '9'.repeat(31),
  '1e-20',
  '1000000000000000000',
])('rejects the hostile price %j', (text) => {
  expect(parsePrice(text, 0)).toBeUndefined()
})

test('parses prices as venues write them', () => {
  expect(parsePrice('61837.63', 2)).toBe(6_183_763n)
  expect(parsePrice('8.12e-10', 14)).toBe(81_200n)
  expect(parsePrice('1E+2', 0)).toBe(100n)
  expect(formatPrice(price(5n), 3)).toBe('0.005')
  expect(formatPrice(price(5n), 0)).toBe('5')
})

/** Returns `digits` with the point moved `by` places to the left. */
function shifted(digits: string, by: number): string {
  const padded = digits.padStart(by + 1, '0')
  return `${padded.slice(0, -by)}.${padded.slice(-by)}`
}

test('rejects an exponent beyond 30, even if the digits would compensate for it', () => {
  const [tiny, huge] = [`0.${'0'.repeat(28)}1`, `1${'0'.repeat(29)}`]
  expect([parsePrice(`${tiny}e30`, 0), parsePrice(`${tiny}e31`, 0)]).toEqual([10n, undefined])
  expect([parsePrice(`${huge}e-30`, 1), parsePrice(`${huge}e-31`, 2)]).toEqual([1n, undefined])
})

test('returns no float for anything but a short decimal', () => {
  for (const text of ['', '.5', '5.', '1.2.3', '1e2', '-1', '1234567890123456', 'x'])
    expect(floatOfShort(text), text).toBeUndefined()
  expect(floatOfShort('0.125')).toBe(0.125)
})
