import { describe, expect, test } from 'vitest'
import type { Drawing } from '#contract/trading/chart.ts'
import { DRAWING_KINDS, DRAWING_POINTS } from '#contract/trading/chart-terms.ts'
import { placeOf } from '../chart/candles.ts'
import { freeId, moved, type Projection, partAt, shapeOf, snapped, timeAt, withPoint } from './drawing.ts'

const SIZE = { width: 400, height: 200 }
/** A second is a pixel, a price unit a pixel from the bottom. */
const projection: Projection = {
  spotOf: ({ time, price }) => ({ x: time / 1_000, y: SIZE.height - price }),
  yOf: (price) => SIZE.height - price,
  priceText: (price) => price.toFixed(1),
  timeText: (timeMs) => `${timeMs / 1_000} s`,
}
const drawing = (kind: Drawing['kind'], ...points: [seconds: number, price: number][]): Drawing => ({
  id: 'a',
  kind,
  colour: 'blue',
  points: points.map(([seconds, price]) => ({ time: seconds * 1_000, price })),
})
const shape = (one: Drawing) => shapeOf(one, SIZE, projection)

describe('the shape of a drawing', () => {
  test('a horizontal line runs through the whole pane, a vertical one shows its time', () => {
    expect(shape(drawing('horizontal', [50, 120])).lines).toEqual([{ from: { x: 0, y: 80 }, to: { x: 400, y: 80 } }])
    expect(shape(drawing('vertical', [50, 120]))).toMatchObject({
      lines: [{ from: { x: 50, y: 0 }, to: { x: 50, y: 200 } }],
      labels: [{ text: '50 s' }],
    })
  })

  test('a trend line ends at its points, a ray beyond the pane in the same direction', () => {
    expect(shape(drawing('trend', [10, 50], [60, 100])).lines).toEqual([
      { from: { x: 10, y: 150 }, to: { x: 60, y: 100 } },
    ])
    const { from, to } = shape(drawing('ray', [10, 50], [60, 100])).lines[0]!
    expect(from).toEqual({ x: 10, y: 150 })
    expect(to.x).toBeGreaterThan(400)
    expect((to.y - from.y) / (to.x - from.x)).toBeCloseTo(-1)
    expect(shape(drawing('ray', [10, 50], [10, 50])).lines[0]!.to).toEqual({ x: 10, y: 150 })
  })

  test('a retracement has seven levels, from its second point to its first', () => {
    const { labels } = shape(drawing('fibonacci', [10, 0], [60, 100]))
    expect(labels.map(({ text }) => text)).toEqual([
      '0.0% 100.0',
      '23.6% 76.4',
      '38.2% 61.8',
      '50.0% 50.0',
      '61.8% 38.2',
      '78.6% 21.4',
      '100.0% 0.0',
    ])
    const narrow = shape(drawing('fibonacci', [10, 0], [60, 20]))
    expect(
      narrow.labels.map(({ text }) => text),
      'labels do not cover each other',
    ).toEqual(['0.0% 20.0', '61.8% 7.6'])
    expect(narrow.lines).toHaveLength(8)
  })
})

describe('what is under the pointer', () => {
  test.each(DRAWING_KINDS)('a %s is found at its points and on its lines, and nowhere else', (kind) => {
    const points = [
      [100, 50],
      [200, 150],
    ] as [number, number][]
    const one = drawing(kind, ...points.slice(0, DRAWING_POINTS[kind]))
    const at = (x: number, price: number) => partAt({ x, y: SIZE.height - price }, shape(one), 6)
    expect(at(102, 52)).toBe(0)
    if (DRAWING_POINTS[kind] === 2) expect(at(199, 149)).toBe(1)
    expect(at(300, 20)).toBeUndefined()
    if (kind === 'trend' || kind === 'ray') expect(at(150, 103)).toBe('body')
    if (kind === 'ray') expect(at(240, 190)).toBe('body')
    if (kind === 'trend') expect(at(240, 190)).toBeUndefined()
    if (kind === 'horizontal') expect(at(390, 50)).toBe('body')
    if (kind === 'vertical') expect(at(100, 190)).toBe('body')
    if (kind === 'rectangle') expect([at(150, 50), at(200, 100), at(150, 100)]).toEqual(['body', 'body', undefined])
    if (kind === 'fibonacci') expect(at(120, 100)).toBe('body')
  })
})

test('moving takes all points, or the one that is dragged', () => {
  const one = drawing('trend', [10, 50], [60, 100])
  expect(moved(one, 'body', { time: 1_000, price: -5 }).points).toEqual([
    { time: 11_000, price: 45 },
    { time: 61_000, price: 95 },
  ])
  expect(moved(one, 1, { time: -1_000, price: 5 }).points).toEqual([one.points[0], { time: 59_000, price: 105 }])
  expect(withPoint(one, 0, { time: 1, price: 2 }).points).toEqual([{ time: 1, price: 2 }, one.points[1]])
})

test('a point snaps to the price of its bar that is within reach, or stays', () => {
  const bar = { time: 60_000, open: 100, high: 120, low: 90, close: 110 }
  const snap = (price: number, reach = 6) => snapped({ time: 65_000, price }, bar, projection.yOf, reach)
  expect(snap(117)).toEqual({ time: 60_000, price: 120 })
  expect(snap(103)).toEqual({ time: 60_000, price: 100 })
  expect(snap(130)).toEqual({ time: 65_000, price: 130 })
  expect(snapped({ time: 1, price: 2 }, undefined, projection.yOf, 6)).toEqual({ time: 1, price: 2 })
})

test('times and positions convert into each other, within bars, over gaps and beyond both ends', () => {
  const bars = [0, 1_000, 5_000].map((time) => ({ time, open: 1, high: 1, low: 1, close: 1 }))
  for (const place of [-2.5, 0, 0.25, 1, 1.75, 2, 4.5]) {
    const time = timeAt(bars, 1_000, place)
    expect(placeOf(bars, 1_000, time)).toBeCloseTo(place)
  }
  expect(timeAt([], 1_000, 3)).toBe(0)
})

test('a new drawing has an id that no other has', () => {
  const named = (id: string) => ({ ...drawing('horizontal', [1, 1]), id })
  expect(freeId([])).toBe('d1')
  expect(freeId([named('d2')])).toBe('d3')
  expect(freeId([named('d3'), named('d1')])).toBe('d4')
})
