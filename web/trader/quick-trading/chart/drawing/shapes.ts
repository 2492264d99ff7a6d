import type { Mark } from '../labels/marks.ts'

export function line(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  context.beginPath()
  context.moveTo(x1, y1)
  context.lineTo(x2, y2)
  context.stroke()
}

export function dashed(
  context: CanvasRenderingContext2D,
  dash: number[],
  ...points: [x1: number, y1: number, x2: number, y2: number]
): void {
  context.setLineDash(dash)
  line(context, ...points)
  context.setLineDash([])
}

export function dot(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath()
  context.arc(x, y, radius, 0, Math.PI * 2)
  context.fill()
}

/** Returns the direction of a side: up is −1, as on the canvas. */
export const pointing = (side: Mark['side']): 1 | -1 => (side === 'Buy' ? -1 : 1)

/** Draws the icon of a side, centred. */
export function triangle(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  side: Mark['side'],
  width: number,
): void {
  const half = pointing(side) * width * 0.4
  context.beginPath()
  context.moveTo(x, y + half)
  context.lineTo(x - width / 2, y - half)
  context.lineTo(x + width / 2, y - half)
  context.fill()
}
