import { expect, test } from 'vitest'
import { LABEL_HEIGHT, placeLabels } from './place-labels.ts'

const PHONE = { width: 300, height: 380 }
const DESKTOP = { width: 900, height: 400 }
const WIDTH = 150
const LEGEND = 26
/** Below the legend. */
const FIRST = LEGEND + 4 + LABEL_HEIGHT / 2
const settled = (x: number) => ({ x, width: WIDTH })

test('on a phone, the label of a settled trade is over the oldest candles', () => {
  expect(placeLabels([settled(280)], PHONE, LEGEND)).toEqual([{ left: 4, y: FIRST }])
})

test('on a wide chart, it is above the end of its trade, within the chart', () => {
  const placed = [settled(500), settled(890)].map((one) => placeLabels([one], DESKTOP, LEGEND)[0])
  expect(placed).toEqual([
    { left: 425, y: FIRST },
    { left: DESKTOP.width - WIDTH - 4, y: FIRST },
  ])
})

test('a legend with the lines of indicators does not cover it', () => {
  expect(placeLabels([settled(280)], PHONE, 62)[0]?.y).toBe(62 + 4 + LABEL_HEIGHT / 2)
})

test('labels do not cover each other', () => {
  const placed = placeLabels([settled(500), settled(500), settled(520), settled(640)], DESKTOP, LEGEND)
  for (const [index, one] of placed.entries())
    for (const other of placed.slice(index + 1)) {
      const isApart = Math.abs(one.y - other.y) >= LABEL_HEIGHT || Math.abs(one.left - other.left) >= WIDTH
      expect(isApart).toBe(true)
    }
})
