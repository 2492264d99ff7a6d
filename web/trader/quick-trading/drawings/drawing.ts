import type { Drawing } from '#contract/trading/chart.ts'
import type { DrawingKind } from '#contract/trading/chart-terms.ts'
import type { Bar } from '../chart/candles.ts'

export type Point = Drawing['points'][number]

/** A place in the pane, px. */
export interface Spot {
  x: number
  y: number
}
export interface Size {
  width: number
  height: number
}

/** What is drawn of a drawing. */
interface Shape {
  lines: { from: Spot; to: Spot; isFaint?: boolean }[]
  /** Two opposite corners. */
  box: { from: Spot; to: Spot } | undefined
  labels: { at: Spot; text: string }[]
  /** The points that can be dragged. */
  handles: Spot[]
}

export const DRAWING_NAMES: Record<DrawingKind, string> = {
  trend: 'Trend line',
  ray: 'Ray',
  horizontal: 'Horizontal line',
  vertical: 'Vertical line',
  rectangle: 'Rectangle',
  fibonacci: 'Fibonacci retracement',
}

/** The levels of a Fibonacci retracement, from its second point (0) to its first (1). */
const LEVELS = [0, 0.236, 0.382, 0.5, 0.618, 0.786, 1] as const

/** Levels closer than this have no label, px. */
const LABEL_PX = 11

/** Converts between times and prices and places in the pane. */
export interface Projection {
  spotOf: (point: Point) => Spot
  yOf: (price: number) => number
  priceText: (price: number) => string
  timeText: (timeMs: number) => string
}

/** Returns what to draw of a drawing in a pane of this size. */
export function shapeOf({ kind, points }: Drawing, size: Size, projection: Projection): Shape {
  const handles = points.map(projection.spotOf)
  const [first = { x: 0, y: 0 }, second = first] = handles
  const shape: Shape = { lines: [], box: undefined, labels: [], handles }
  if (kind === 'horizontal') shape.lines.push({ from: { x: 0, y: first.y }, to: { x: size.width, y: first.y } })
  if (kind === 'vertical') {
    shape.lines.push({ from: { x: first.x, y: 0 }, to: { x: first.x, y: size.height } })
    const text = projection.timeText(points[0]?.time ?? 0)
    shape.labels.push({ at: { x: first.x + 6, y: size.height - 10 }, text })
  }
  if (kind === 'trend') shape.lines.push({ from: first, to: second })
  if (kind === 'ray') shape.lines.push({ from: first, to: farEnd(first, second, size) })
  if (kind === 'rectangle') shape.box = { from: first, to: second }
  if (kind === 'fibonacci') addLevels(shape, points, projection)
  return shape
}

function addLevels(shape: Shape, points: readonly Point[], { yOf, priceText }: Projection): void {
  const [start, end] = points
  const [first, second] = shape.handles
  if (!start || !end || !first || !second) return
  const [left, right] = [Math.min(first.x, second.x), Math.max(first.x, second.x)]
  shape.lines.push({ from: first, to: second, isFaint: true })
  let labelled = Number.POSITIVE_INFINITY
  for (const level of LEVELS) {
    const price = end.price + (start.price - end.price) * level
    const y = yOf(price)
    shape.lines.push({ from: { x: left, y }, to: { x: right, y } })
    if (Math.abs(y - labelled) < LABEL_PX) continue
    labelled = y
    shape.labels.push({ at: { x: left, y: y - 7 }, text: `${(level * 100).toFixed(1)}% ${priceText(price)}` })
  }
}

/** Where a ray from `first` through `second` leaves the pane, or far enough outside of it. */
function farEnd(first: Spot, second: Spot, { width, height }: Size): Spot {
  const [dx, dy] = [second.x - first.x, second.y - first.y]
  const length = Math.hypot(dx, dy)
  if (length === 0) return second
  const reach = (width + height + Math.abs(first.x) + Math.abs(first.y)) / length
  return { x: first.x + dx * reach, y: first.y + dy * reach }
}

/** Returns the distance of a place to a line, px. */
function distanceTo({ x, y }: Spot, { from, to }: { from: Spot; to: Spot }): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const square = dx * dx + dy * dy
  const share = square === 0 ? 0 : Math.max(0, Math.min(1, ((x - from.x) * dx + (y - from.y) * dy) / square))
  return Math.hypot(x - from.x - share * dx, y - from.y - share * dy)
}

/** What of a drawing is at a place: one of its points, or its body. */
export type Part = number | 'body'

/** Returns what of a shape is within reach of a place. */
export function partAt(spot: Spot, { handles, lines, box }: Shape, reachPx: number): Part | undefined {
  const handle = handles.findIndex(({ x, y }) => Math.hypot(x - spot.x, y - spot.y) <= reachPx)
  if (handle >= 0) return handle
  const edges = box ? edgesOf(box) : []
  return [...lines, ...edges].some((line) => distanceTo(spot, line) <= reachPx) ? 'body' : undefined
}

function edgesOf({ from, to }: { from: Spot; to: Spot }) {
  const corners = [from, { x: to.x, y: from.y }, to, { x: from.x, y: to.y }]
  return corners.map((corner, at) => ({ from: corner, to: corners[(at + 1) % 4] ?? from }))
}

/** Returns the drawing with all, or one, of its points moved. */
export function moved(drawing: Drawing, part: Part, by: { time: number; price: number }): Drawing {
  const points = drawing.points.map((point, at) =>
    part === 'body' || part === at
      ? { time: Math.max(0, Math.round(point.time + by.time)), price: point.price + by.price }
      : point,
  )
  return { ...drawing, points }
}

/** Returns the drawing with one point elsewhere. */
export const withPoint = (drawing: Drawing, at: number, point: Point): Drawing => ({
  ...drawing,
  points: drawing.points.map((other, index) => (index === at ? point : other)),
})

/** Returns the open, high, low or close next to a point, if it's within `reachPx`; the time is that of its bar. */
export function snapped(point: Point, bar: Bar | undefined, yOf: (price: number) => number, reachPx: number): Point {
  if (!bar) return point
  const y = yOf(point.price)
  const [nearest] = [bar.open, bar.high, bar.low, bar.close]
    .map((price) => ({ price, distance: Math.abs(yOf(price) - y) }))
    .sort((a, b) => a.distance - b.distance)
  return nearest && nearest.distance <= reachPx ? { time: bar.time, price: nearest.price } : point
}

/** Returns an id that the drawings don't have yet. */
export function freeId(drawings: readonly Drawing[]): string {
  let number = drawings.length + 1
  while (drawings.some(({ id }) => id === `d${number}`)) number++
  return `d${number}`
}

/** The time at a position on the bar axis, as a fraction; the opposite of `placeOf`. */
export function timeAt(bars: readonly Bar[], intervalMs: number, place: number): number {
  const [first, last] = [bars[0], bars.at(-1)]
  if (!first || !last) return 0
  if (place < 0) return first.time + place * intervalMs
  if (place >= bars.length - 1) return last.time + (place - (bars.length - 1)) * intervalMs
  const whole = Math.floor(place)
  return (bars[whole]?.time ?? first.time) + (place - whole) * intervalMs
}
