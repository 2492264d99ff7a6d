import { must } from '#kernel/must.ts'
import type { Mark } from '../labels/marks.ts'
import { LABEL_HEIGHT, mostLabels, placeLabels } from '../labels/place-labels.ts'
import { fade, type Look } from './look.ts'
import { dashed, dot, triangle } from './shapes.ts'

const PAD = 8
/** Width of the icon of a side, with its gap. */
const SIGN = { side: 8, gap: 5 }

/** A settled trade in the pane, px. */
interface SettledMark {
  mark: Mark
  entry: { x: number; y: number | null }
  exit: { x: number; y: number | null }
}

/** Draws settled trades, oldest first: a line from entry to exit, and the result of the newest ones. */
export function drawSettled(
  context: CanvasRenderingContext2D,
  settled: readonly SettledMark[],
  size: { width: number; height: number },
  legendBottom: number,
  look: Look,
): void {
  const ends = settled.flatMap(({ mark, entry, exit }) => {
    if (exit.x < 0 || entry.x > size.width) return []
    if (entry.y !== null && exit.y !== null) {
      context.strokeStyle = fade(colourOf(mark, look), 0.5 * mark.strength)
      context.lineWidth = 1
      dashed(context, [2, 3], entry.x, entry.y, exit.x, exit.y)
    }
    const y = exit.y ?? entry.y
    if (y === null) return []
    context.fillStyle = fade(colourOf(mark, look), mark.strength)
    dot(context, exit.x, y, 4)
    const width = Math.ceil(context.measureText(mark.words).width) + SIGN.side + SIGN.gap + PAD * 2
    return [{ mark, x: exit.x, y, width }]
  })
  const labelled = ends.slice(-mostLabels(size.width)).reverse()
  const placed = placeLabels(labelled, size, legendBottom)
  for (const [index, { x, y, mark, width }] of labelled.entries()) {
    const { left, y: at } = must(placed[index])
    context.strokeStyle = fade(look.text, 0.6 * mark.strength)
    context.lineWidth = 1
    dashed(context, [1, 3], x, y, Math.max(left, Math.min(x, left + width)), at)
    drawLabel(context, { mark, left, y: at, width }, look)
  }
}

const colourOf = ({ standing }: Mark, look: Look): string =>
  standing === 'won' ? look.up : standing === 'lost' ? look.down : look.text

function drawLabel(
  context: CanvasRenderingContext2D,
  { mark, left, y, width }: { mark: Mark; left: number; y: number; width: number },
  look: Look,
): void {
  const colour = colourOf(mark, look)
  context.globalAlpha = mark.strength
  context.beginPath()
  context.roundRect(left, y - LABEL_HEIGHT / 2, width, LABEL_HEIGHT, LABEL_HEIGHT / 2)
  context.fillStyle = look.background
  context.fill()
  context.strokeStyle = fade(colour, 0.8)
  context.lineWidth = 1
  context.stroke()
  context.fillStyle = colour
  triangle(context, left + PAD + SIGN.side / 2, y, mark.side, SIGN.side)
  context.textAlign = 'left'
  context.fillText(mark.words, left + PAD + SIGN.side + SIGN.gap, y + 0.5)
  context.globalAlpha = 1
}
