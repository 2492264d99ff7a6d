import { expect, test } from 'vitest'
import { profitLine } from './profit-line.ts'

test('adds up profits in time order, to the cent, one point a second', () => {
  const at = (second: number, ms = 0) => new Date(Date.UTC(2026, 0, 1, 0, 0, second, ms)).toISOString()
  const start = Date.UTC(2026, 0, 1) / 1_000
  expect(
    profitLine([
      { profit: 0.2, createdAt: at(9) },
      { profit: 0.1, createdAt: at(4, 900) },
      { profit: 7.5, createdAt: at(4, 100) },
      { profit: 1, createdAt: at(1) },
    ]),
  ).toEqual([
    { time: start + 1, value: 1 },
    { time: start + 4, value: 8.6 },
    { time: start + 9, value: 8.8 },
  ])
  expect(profitLine([])).toEqual([])
})
