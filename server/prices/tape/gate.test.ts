import { beforeEach, expect, test } from 'vitest'
import { instrument } from '#tests/support/prices/instruments.ts'
import { instrumentsFrom } from '../instruments/instruments.ts'
import { createGate, type Gate } from './gate.ts'
import type { Newest } from './memory/memory.ts'

const T = 1_790_000_000_000
const instruments = instrumentsFrom(['BTCUSDT', 'ETHUSDT'].map((symbol, i) => instrument({ id: i + 1, symbol })))
let newest: Newest
let gate: Gate

beforeEach(() => {
  newest = { sourceMs: new Float64Array(2), units: new Float64Array(2), seq: new Float64Array(2) }
  gate = createGate(instruments, newest)
  gate.at(T)
})

const quote = (uncheckedPrice: string, receivedMs = T, venueMs?: number, symbol = 'BTCUSDT') =>
  gate.quote({ symbol, uncheckedPrice, venueMs, receivedMs })

test('a frame contains the newest quote of each symbol', () => {
  quote('61837.63', T - 100)
  quote('61837.64', T - 50)
  quote('2683.80', T - 10, undefined, 'ETHUSDT')
  expect(gate.candidates()).toEqual([
    { slot: 0, units: 6_183_764, sourceMs: T - 50 },
    { slot: 1, units: 268_380, sourceMs: T - 10 },
  ])
})

test.each([
  '0',
  '-5',
  '1e400',
  '',
  'abc',
  'NaN',
  'Infinity',
  '0x10',
  '６１８３７',
  '1,5',
  ' 1',
  '9'.repeat(40),
  '0.001',
  '1e30',
  '22517998136852.49',
])('rejects the price %j', (price) => {
  quote(price)
  expect(gate.candidates()).toEqual([])
  expect(gate.refused().get('bad_price')).toBe(1)
})

test('accepts large price moves', () => {
  newest.units[0] = 6_000_000
  newest.sourceMs[0] = T - 1000
  quote('1000')
  expect(gate.candidates()).toEqual([{ slot: 0, units: 100_000, sourceMs: T }])
})

test('rejects times after the receipt, older than 3 s or going backwards', () => {
  quote('1', T + 1)
  expect(gate.refused().get('in_the_future')).toBe(1)
  quote('1', T - 3_001)
  expect(gate.refused().get('too_old')).toBe(1)
  quote('1', T, 9e15)
  quote('1', T, T + 10_001)
  quote('1', T, T - 60_001)
  quote('1', T, Number.NaN)
  expect(gate.refused().get('bad_time')).toBe(4)
  expect(gate.candidates()).toEqual([])
  // A venue whose clock runs ahead: the arrival time counts.
  quote('1', T - 3_000, T + 1_272)
  expect(gate.candidates()).toEqual([{ slot: 0, units: 100, sourceMs: T - 3_000 }])
  quote('2', T - 1_000)
  quote('3', T - 2_000)
  expect(gate.refused().get('out_of_order')).toBe(1)
  newest.sourceMs[0] = T - 500
  quote('4', T - 500)
  expect(gate.refused().get('out_of_order')).toBe(2)
  expect(gate.candidates()).toEqual([])
})

test('counts an unknown symbol without publishing it', () => {
  quote('1', T, undefined, 'DOGEUSDT')
  expect(gate.refused().get('unknown_symbol')).toBe(1)
})

test('drops a quote that waited too long for its frame', () => {
  quote('1', T)
  gate.at(T + 3_001)
  expect(gate.candidates()).toEqual([])
})

test('repeats the last price only with proof that its source is alive', () => {
  newest.sourceMs[0] = T - 1_000
  newest.units[0] = 777
  expect(gate.candidates()).toEqual([])
  gate.alive(0, T - 200)
  expect(gate.candidates()).toEqual([{ slot: 0, units: 777, sourceMs: T - 200 }])
  // A heartbeat of a symbol that never had a price repeats nothing.
  gate.alive(1, T - 200)
  expect(gate.candidates()).toHaveLength(1)
})

test('a quote equal to the newest tick only proves that the source is alive', () => {
  newest.sourceMs[0] = T - 250
  newest.units[0] = 777
  gate.state(0, 777, T)
  expect(gate.candidates()).toEqual([])
  gate.state(0, 778, T)
  expect(gate.candidates()).toEqual([{ slot: 0, units: 778, sourceMs: T }])
})
