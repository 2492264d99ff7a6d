import fc from 'fast-check'
import { expect, test } from 'vitest'
import { property } from '#tests/support/property.ts'
import { idFloor, idSource, parsePublicId, parseRowId, publicId } from './id.ts'

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

test('an id contains its time and a counter that restarts every millisecond', () => {
  const began = Date.UTC(2024, 0, 1)
  let now = began + 5
  const newId = idSource(3, () => now)
  const parts = () => {
    const next = newId()
    return [Number(next >> 22n), Number((next >> 12n) & 1023n), Number(next & 4095n)]
  }
  expect([parts(), parts()]).toEqual([
    [5, 3, 0],
    [5, 3, 1],
  ])
  now += 2
  expect(parts()).toEqual([7, 3, 0])
  now -= 4
  expect(parts(), 'the clock went back').toEqual([7, 3, 1])
  for (let n = 0; n < 4_094; n++) newId()
  expect(parts(), 'the counter is used up').toEqual([8, 3, 0])
})

test('the floor of a time is below every id generated from then on, and not below earlier ones', () => {
  const at = 1_790_000_000_000
  const earlier = idSource(1023, () => at - 1)
  const ids = Array.from({ length: 4_096 }, earlier)
  expect(idFloor(at)).toBe(ids.at(-1))
  expect(idFloor(at + 0.9)).toBe(idFloor(at))
  expect(idSource(0, () => at)() > idFloor(at)).toBe(true)
})

test('parses row numbers and rejects anything else', () => {
  expect([parseRowId('7'), parseRowId('120'), parseRowId('9'.repeat(18))]).toEqual([7n, 120n, BigInt('9'.repeat(18))])
  for (const text of ['', '0', '07', '-1', '1.0', ' 1', '1 ', '1x', 'x1', '1'.repeat(19), '１'])
    expect(parseRowId(text), text).toBeUndefined()
})

test('the largest public id is that of 2^63 - 1', () => {
  expect(parsePublicId(publicId(2n ** 63n - 1n))).toBe(2n ** 63n - 1n)
  expect(parsePublicId('8000000000000')).toBeUndefined()
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
