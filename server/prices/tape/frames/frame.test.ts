import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  BrokenBody,
  decodeBody,
  decodeFrame,
  type Entry,
  encodeBody,
  frameHash,
  GENESIS_HASH,
  UNITS_MAX,
} from './frame.ts'

const T = 1_790_000_000_000

const entries = fc.uniqueArray(
  fc.record({
    symbol: fc.stringMatching(/^[A-Z0-9]{1,20}$/),
    kind: fc.integer({ min: 0, max: 2 }),
    scale: fc.integer({ min: 0, max: 15 }),
    seq: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    sourceMs: fc.integer({ min: T - 100_000, max: T }),
    units: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: UNITS_MAX })),
  }),
  { selector: (entry) => entry.symbol, maxLength: 90 },
)
const sorted = (list: Entry[]) => list.toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1))

const orders = fc.option(
  fc.record({
    count: fc.integer({ min: 1, max: 10_000 }),
    root: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes)),
  }),
  { nil: undefined },
)

const variances = fc
  .uniqueArray(
    fc.record({
      symbol: fc.constantFrom('ADAUSDT', 'BCHBTC', 'BTCUSDT', 'ETHUSDT'),
      value: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    }),
    { selector: ({ symbol }) => symbol },
  )
  .map((list) => list.toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1)))

test('a body survives a round trip', () => {
  fc.assert(
    fc.property(entries, orders, variances, (list, bound, stated) => {
      const read = decodeFrame(T, encodeBody(T, sorted(list), { orders: bound, variances: stated }))
      expect(read).toEqual({ entries: sorted(list), orders: bound, variances: stated })
    }),
    { numRuns: 500 },
  )
})

test('the bytes of version 1 are fixed: a known frame has a known hash', () => {
  const body = encodeBody(T, [{ symbol: 'BTCUSDT', kind: 2, scale: 2, seq: 300, sourceMs: T - 5, units: 6_183_763 }])
  expect(body.toString('hex')).toBe('010107425443555344540202ac0205d3b6f902')
  expect(frameHash(GENESIS_HASH, 1, T, body).toString('hex')).toBe(
    '602af574c2004b93463f0200519a19045a13cc4c6ad389a4173dd9b0960a7d33',
  )
})

test('the bytes of version 2 are fixed too, and a frame that binds orders binds at least one', () => {
  const price = { symbol: 'BTCUSDT', kind: 2, scale: 2, seq: 300, sourceMs: T - 5, units: 6_183_763 }
  const body = encodeBody(T, [price], { orders: { count: 300, root: Buffer.alloc(32, 0xab) } })
  expect(body.toString('hex')).toBe(`020107425443555344540202ac0205d3b6f902ac02${'ab'.repeat(32)}`)
  expect(() => decodeBody(T, Buffer.from('020000', 'hex'))).toThrow('no orders')
  expect(() => decodeBody(T, Buffer.from('0400', 'hex'))).toThrow('unknown version')
})

test('the bytes of version 3 are fixed too, and a frame that states variances states at least one', () => {
  const variances = [{ symbol: 'BTCUSDT', value: 300 }]
  expect(encodeBody(T, [], { variances }).toString('hex')).toBe('030000010742544355534454ac02')
  const orders = { count: 1, root: Buffer.alloc(32, 0xab) }
  expect(encodeBody(T, [], { orders, variances }).toString('hex')).toBe(
    `030001${'ab'.repeat(32)}010742544355534454ac02`,
  )
  expect(() => decodeBody(T, Buffer.from('03000000', 'hex'))).toThrow('no variances')
})

test('any bytes are rejected or are the canonical encoding of their content', () => {
  const hostile = (bytes: Uint8Array) => {
    try {
      const { entries, ...extras } = decodeFrame(T, bytes)
      expect(encodeBody(T, entries, extras).equals(bytes)).toBe(true)
    } catch (error) {
      if (!(error instanceof BrokenBody)) throw error
    }
  }
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), hostile), { numRuns: 2_000 })
  const two = [
    { symbol: 'BTCUSDT', kind: 2, scale: 2, seq: 300, sourceMs: T - 5, units: 6_183_763 },
    { symbol: 'ETHUSDT', kind: 2, scale: 2, seq: 1, sourceMs: T, units: 268_380 },
  ]
  for (const orders of [undefined, { count: 3, root: Buffer.alloc(32, 1) }]) {
    near(encodeBody(T, two, { orders }))
    near(encodeBody(T, two, { orders, variances: [{ symbol: 'BTCUSDT', value: 5_000 }] }))
  }

  function near(good: Buffer): void {
    for (let at = 0; at < good.length; at++) {
      for (let value = 0; value < 256; value++) {
        const changed = Buffer.from(good)
        changed[at] = value
        hostile(changed)
      }
      hostile(good.subarray(0, at))
      expect(() => decodeBody(T, good.subarray(0, at))).toThrow(BrokenBody)
    }
    expect(() => decodeBody(T, Buffer.concat([good, Buffer.of(0)]))).toThrow('bytes after the end')
  }
})

test("rejects a number that isn't in its shortest form", () => {
  const short = encodeBody(T, [{ symbol: 'A', kind: 0, scale: 0, seq: 1, sourceMs: T, units: 5 }])
  const long = Buffer.concat([short.subarray(0, -1), Buffer.of(0x85, 0x00)])
  expect(() => decodeBody(T, long)).toThrow('shortest form')
})
