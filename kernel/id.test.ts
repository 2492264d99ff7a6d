import fc from 'fast-check'
import { expect, test } from 'vitest'
import { property } from '#tests/support/property.ts'
import { idSource, parsePublicId, publicId } from './id.ts'

const id = fc.bigInt(0n, 2n ** 63n - 1n)

property('a number survives a round trip through its public form', 100_000, [id], (number) => {
  expect(parsePublicId(publicId(number))).toBe(number)
})

property('public forms sort like their numbers', 50_000, [id, id], (a, b) => {
  expect(publicId(a) < publicId(b)).toBe(a < b)
})

property(
  'any text is the canonical form of one number or invalid',
  100_000,
  [fc.oneof(fc.string(), fc.stringMatching(/^[0-9A-Z]{13}$/), fc.stringMatching(/^[0-9A-Za-z]{12,14}$/))],
  (text) => {
    const number = parsePublicId(text)
    if (number !== undefined) expect(publicId(number)).toBe(text)
  },
)

property(
  'ids ascend, never repeat and contain their node, whatever the clock does',
  300,
  [fc.array(fc.integer({ min: -5_000, max: 5_000 }), { minLength: 1, maxLength: 2_000 }), fc.nat(1023)],
  (moves, node) => {
    let now = 1_790_000_000_000
    const newId = idSource(node, () => now)
    let last = 0n
    for (const move of moves) {
      now += move
      const next = newId()
      expect(next > last).toBe(true)
      expect((next >> 12n) & 1023n).toBe(BigInt(node))
      last = next
    }
  },
)

test('20,000 ids of one millisecond are different', () => {
  const newId = idSource(1, () => 1_790_000_000_000)
  expect(new Set(Array.from({ length: 20_000 }, newId)).size).toBe(20_000)
})

test.each([
  '',
  '0',
  'O000000000000',
  'i000000000000',
  '0000000000000\n',
  'ZZZZZZZZZZZZZ',
  '00000000000000',
  '../../../../ab',
  '0000000000０00',
])('rejects the hostile id %j', (text) => {
  expect(parsePublicId(text)).toBeUndefined()
})
