import { expect, test } from 'vitest'
import { LABEL_HEIGHT, mostLabels, placeLabels, type Wanted } from './place-labels.ts'

const PHONE = { width: 300, height: 380 }
const DESKTOP = { width: 900, height: 400 }
const WIDTH = 150
const open = (x: number, y = 200): Wanted => ({ x, y, width: WIDTH, settled: false })
const settled = (x: number, y = 200): Wanted => ({ x, y, width: WIDTH, settled: true })

test("on a phone, five open trades don't cover the newest candles", () => {
  const trades = [400, 500, 600, 700, 800].map((x) => open(x))
  const placed = placeLabels(trades.slice(-mostLabels(PHONE.width).open), PHONE)
  for (const { left } of placed) expect(left + WIDTH).toBeLessThanOrEqual(PHONE.width * 0.55)
})

test('on a phone, the label of a settled trade is over the oldest candles', () => {
  expect(placeLabels([settled(280)], PHONE)).toEqual([{ left: 4, y: LABEL_HEIGHT / 2 + 2 }])
})

test('labels an open trade to the right of its end', () => {
  expect(placeLabels([open(500)], DESKTOP)).toEqual([{ left: 510, y: 200 }])
})

test('labels an open trade at the top without room to the right', () => {
  expect(placeLabels([open(2_000)], DESKTOP)).toEqual([{ left: DESKTOP.width - WIDTH - 4, y: LABEL_HEIGHT / 2 + 2 }])
})

test('labels do not cover each other', () => {
  const placed = placeLabels([open(500), open(500), open(500), settled(500), settled(520)], DESKTOP)
  for (const [index, one] of placed.entries())
    for (const other of placed.slice(index + 1)) {
      const isApart = Math.abs(one.y - other.y) >= LABEL_HEIGHT || Math.abs(one.left - other.left) >= WIDTH
      expect(isApart).toBe(true)
    }
})
