import { expect, test } from 'vitest'
import { roomFor } from './room.ts'

const SECOND = 1_000
const desktop = { lastMs: 0, intervalMs: 5 * SECOND, bars: 80, barPx: 8 }
const phone = { ...desktop, bars: 50, barPx: 6 }

test.each<[what: string, ends: number[], view: typeof desktop, room: number]>([
  ['no open trades: the normal margin', [], desktop, 8],
  ['a trade that ends soon: its label', [20 * SECOND], desktop, 185 / 8],
  ['a trade whose end fits: its end', [115 * SECOND], desktop, 24],
  ['a trade whose end does not fit: its label', [3_600 * SECOND], desktop, 185 / 8],
  ['of several, the last end that fits', [60 * SECOND, 115 * SECOND, 3_600 * SECOND], desktop, 24],
  ['a phone: a short label', [3_600 * SECOND], phone, 100 / 6],
  ['never more than two fifths of the view', [20 * SECOND], { ...desktop, bars: 30, barPx: 15 }, 12],
])('%s', (_, ends, view, room) => {
  expect(roomFor(ends, view)).toBeCloseTo(room)
})
