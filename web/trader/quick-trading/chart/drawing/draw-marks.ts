import type {
  IPrimitivePaneRenderer,
  ISeriesPrimitive,
  ISeriesPrimitiveAxisView,
  Logical,
  Time,
} from 'lightweight-charts'
import type { Beginning } from '../beginning.ts'
import { type Bundle, bundlesOf, freeTags, type Line } from '../labels/bundles.ts'
import type { Mark } from '../labels/marks.ts'
import { useLegend } from '../legend/legend-store.ts'
import type { drawSettled } from './draw-settled.ts'
import { fade, type Look } from './look.ts'
import { dashed, dot, line, pointing, triangle } from './shapes.ts'

type Attached = Parameters<NonNullable<ISeriesPrimitive<Time>['attached']>>[0]
type Target = Parameters<IPrimitivePaneRenderer['draw']>[0]
interface Size {
  width: number
  height: number
}

const FONT = '600 11px "Inter Variable", system-ui, sans-serif'
/** Trades shorter than this extend the price scale so that their entry is visible, ms. */
const STRETCH_MS = 3_600_000
const OUT_OF_SIGHT = -100
/** Space between the newest bar and the labels of open trades, and what the bracket of a bundle takes of it, px. */
const BESIDE = 14
const BRACKET = 5

interface MarksInput {
  marks: readonly Mark[]
  /** The ids of the trades under the pointer or with focus. */
  highlit: readonly string[]
  look: Look
  /** Returns the fractional bar index of a time (Unix ms). */
  placeOf: (timeMs: number) => number | undefined
  priceText: (price: number) => string
  /** Where the tape begins, if that is in the picture. */
  beginning: Beginning | undefined
  /** The newest bar: its time, and its price even while older bars are in view. */
  latest: { time: number; close: number } | undefined
  /** Called with what the labels show and where, whenever it's drawn. */
  onLabels: (labels: Labels) => void
}

/** An open trade in the pane. */
export interface OpenLine extends Line {
  mark: Mark
}

/** The labels of open trades: those on lines of their own, and bundles. */
export interface Labels {
  /** Their left edge, where there is room, px. */
  x: number
  /** The width of the pane, px. */
  width: number
  bundles: readonly Bundle<OpenLine>[]
}

/** Draws settled trades. Loaded with the first of them: most who open the screen have none on the chart. */
let draw: typeof drawSettled | undefined

/** Draws trades over the bars: the lines of open ones, which end at their labels, and a subtle mark for settled ones. */
export class TradeMarks implements ISeriesPrimitive<Time> {
  #attached: Attached | undefined
  #input: MarksInput
  #axis: readonly ISeriesPrimitiveAxisView[] = []

  constructor(input: MarksInput) {
    this.#input = input
  }

  attached(attached: Attached): void {
    this.#attached = attached
  }

  detached(): void {
    this.#attached = undefined
  }

  set(change: Partial<MarksInput>): void {
    this.#input = { ...this.#input, ...change }
    if (!draw && change.marks?.some(({ settled }) => settled)) void this.#loadSettled()
    this.#attached?.requestUpdate()
  }

  async #loadSettled(): Promise<void> {
    // Without it, they are in the list below the chart all the same; the next change of marks tries again.
    const loaded = await import('./draw-settled.ts').catch(() => undefined)
    draw = loaded?.drawSettled
    this.#attached?.requestUpdate()
  }

  updateAllViews(): void {
    this.#axis = this.#axisOf()
  }

  paneViews() {
    return [{ zOrder: () => 'top' as const, renderer: () => ({ draw: (target: Target) => this.#draw(target) }) }]
  }

  priceAxisViews() {
    return this.#axis
  }

  autoscaleInfo(from: Logical, to: Logical) {
    const { marks, placeOf } = this.#input
    const prices = marks.flatMap(({ settled, entryPrice, entryMs, endMs }) => {
      const isSeen = (placeOf(entryMs) ?? Number.POSITIVE_INFINITY) <= to && (placeOf(endMs) ?? -1) >= from
      return !settled && entryPrice !== undefined && endMs - entryMs <= STRETCH_MS && isSeen ? [entryPrice] : []
    })
    if (prices.length === 0) return null
    return { priceRange: { minValue: Math.min(...prices), maxValue: Math.max(...prices) } }
  }

  /** The newest price, and the entry prices that have room next to it and to each other: highlighted trades first. */
  #axisOf(): ISeriesPrimitiveAxisView[] {
    const { marks, highlit, look, priceText, latest } = this.#input
    const newestY = this.#y(latest?.close)
    const newest = {
      coordinate: () => newestY ?? OUT_OF_SIGHT,
      text: () => (latest === undefined ? '' : priceText(latest.close)),
      textColor: () => look.background,
      backColor: () => look.strong,
      visible: () => latest !== undefined,
    }
    const isHighlit = (mark: Mark) => highlit.includes(mark.id)
    const open = nextToEnd(marks).sort((a, b) => Number(isHighlit(b)) - Number(isHighlit(a)))
    // Trades with the same entry price share its tag.
    const entries = [...Map.groupBy(open, (mark) => mark.entryPrice)].flatMap(([price, entered]) => {
      const y = this.#y(price)
      return price === undefined || y === undefined ? [] : [{ price, entered, y }]
    })
    const tags = freeTags(entries, newestY === undefined ? [] : [newestY]).map(({ price, entered, y }) => {
      const hasBuy = entered.some((mark) => mark.side === 'Buy')
      const hasSell = entered.some((mark) => mark.side === 'Sell')
      return {
        coordinate: () => y,
        text: () => `${hasBuy ? '↑' : ''}${hasSell ? '↓' : ''} ${priceText(price)}`,
        textColor: () => (hasBuy && hasSell ? look.strong : hasBuy ? look.up : look.down),
        backColor: () => look.raised,
      }
    })
    return [...tags, newest]
  }

  #y(price: number | undefined): number | undefined {
    return price === undefined ? undefined : (this.#attached?.series.priceToCoordinate(price) ?? undefined)
  }

  #x(timeMs: number): number | undefined {
    const place = this.#input.placeOf(timeMs)
    const scale = this.#attached?.chart.timeScale()
    if (place === undefined || !scale) return undefined
    // The library only converts whole bars, so interpolate between two of them.
    const whole = Math.floor(place)
    const from = scale.logicalToCoordinate(whole as Logical)
    const to = scale.logicalToCoordinate((whole + 1) as Logical)
    return from === null || to === null ? undefined : from + (to - from) * (place - whole)
  }

  #draw(target: Target): void {
    if (!this.#attached) return
    // biome-ignore lint/correctness/useHookAtTopLevel: a method of the chart library, not a hook
    target.useMediaCoordinateSpace(({ context, mediaSize }) => {
      const { look, beginning } = this.#input
      context.save()
      context.font = FONT
      context.textBaseline = 'middle'
      if (beginning) this.#drawBeginning(context, mediaSize, beginning)
      draw?.(context, this.#settled(), mediaSize, useLegend.getState().bottom, look)
      this.#drawOpen(context, mediaSize)
      context.restore()
    })
  }

  /** Draws the border at which the tape begins, with what is before and after it. */
  #drawBeginning(context: CanvasRenderingContext2D, size: Size, { ms, before, after }: Beginning): void {
    const x = this.#x(ms)
    if (x === undefined || x < 0 || x > size.width) return
    const { look } = this.#input
    context.strokeStyle = fade(look.text, 0.5)
    context.lineWidth = 1
    dashed(context, [2, 4], x, 0, x, size.height)
    context.fillStyle = fade(look.text, 0.9)
    const y = size.height - 14
    if (before !== undefined && x >= 140) {
      context.textAlign = 'right'
      context.fillText(before, x - 8, y)
    }
    if (after !== undefined && size.width - x >= 140) {
      context.textAlign = 'left'
      context.fillText(after, x + 8, y)
    }
  }

  /** The settled trades in the pane, the one that ended last at the end. */
  #settled() {
    const settled = this.#input.marks.filter((mark) => mark.settled).sort((a, b) => a.endMs - b.endMs)
    return settled.flatMap((mark) => {
      const from = this.#x(mark.entryMs)
      const to = this.#x(mark.endMs)
      if (from === undefined || to === undefined) return []
      const [entryY = null, exitY = null] = [this.#y(mark.entryPrice), this.#y(mark.exitPrice)]
      return [{ mark, entry: { x: from, y: entryY }, exit: { x: to, y: exitY } }]
    })
  }

  /** Draws the lines of open trades up to their labels. Those that are pointed at, or the only one, are drawn in full. */
  #drawOpen(context: CanvasRenderingContext2D, size: Size): void {
    const { marks, highlit, latest, onLabels } = this.#input
    const open = nextToEnd(marks)
    const newestX = (latest && this.#x(latest.time)) ?? 0
    const x = Math.max(4, Math.min(newestX + BESIDE, size.width))
    const lines = open.map((mark) => ({
      id: mark.id,
      mark,
      change: mark.change === undefined ? undefined : Math.round(mark.change * 100),
      // A trade that is entering will do so near the newest price.
      y: this.#y(mark.entryPrice) ?? this.#y(latest?.close) ?? size.height / 2,
    }))
    const bundles = bundlesOf(lines, size.height)
    const isFull = ({ id }: Line) => (lines.length === 1 ? true : highlit.includes(id))
    const isThin = lines.some(isFull)
    for (const bundle of bundles) this.#drawBundle(context, bundle, x, isThin)
    for (const one of lines.filter(isFull)) this.#drawFull(context, size, one)
    onLabels({ x, width: size.width, bundles })
  }

  #drawBundle(context: CanvasRenderingContext2D, { lines, top, bottom }: Bundle<OpenLine>, x: number, isThin: boolean) {
    const { look } = this.#input
    const isOne = lines.length === 1
    const to = x - (isOne ? 0 : BRACKET)
    for (const { mark, y } of lines) {
      const from = this.#x(mark.entryMs)
      if (from === undefined || mark.entryPrice === undefined) continue
      const colour = mark.side === 'Buy' ? look.up : look.down
      context.strokeStyle = fade(colour, isThin ? 0.3 : isOne ? 1 : 0.6)
      context.lineWidth = isOne && !isThin ? 1.5 : 1
      line(context, Math.min(from, to), y, to, y)
      context.fillStyle = fade(colour, isThin ? 0.4 : 1)
      dot(context, from, y, isOne ? 4 : 2.5)
    }
    if (isOne) return
    context.strokeStyle = fade(look.text, isThin ? 0.5 : 1)
    context.lineWidth = 1.5
    context.beginPath()
    context.moveTo(to - 3, top - 3)
    context.lineTo(to, top - 3)
    context.lineTo(to, bottom + 3)
    context.lineTo(to - 3, bottom + 3)
    context.stroke()
  }

  /** Draws a trade from its entry to its end, with the side of the entry price where it wins. */
  #drawFull(context: CanvasRenderingContext2D, size: Size, { mark, y }: OpenLine): void {
    const from = this.#x(mark.entryMs)
    const end = this.#x(mark.endMs)
    if (from === undefined || end === undefined) return
    const { look } = this.#input
    const colour = mark.side === 'Buy' ? look.up : look.down
    const to = Math.min(end, size.width)
    if (mark.entryPrice !== undefined) {
      this.#drawWinSide(context, mark, { from: Math.max(0, from), to, y, height: size.height })
      context.strokeStyle = colour
      context.lineWidth = 1.5
      line(context, from, y, to, y)
      context.fillStyle = colour
      triangle(context, from, y + pointing(mark.side) * 5, mark.side, 10)
    }
    if (end > size.width) return
    context.strokeStyle = fade(colour, 0.55)
    context.lineWidth = 1
    dashed(context, [3, 3], end, 0, end, size.height)
    if (mark.entryPrice === undefined) return
    context.fillStyle = look.background
    dot(context, end, y, 3.5)
    context.strokeStyle = colour
    context.lineWidth = 1.5
    context.stroke()
  }

  /** Shades the side of the entry price where the trade wins. */
  #drawWinSide(
    context: CanvasRenderingContext2D,
    mark: Mark,
    { from, to, y, height }: { from: number; to: number; y: number; height: number },
  ): void {
    if (to <= from) return
    const isBuy = mark.side === 'Buy'
    const reach = Math.min(96, isBuy ? y : height - y)
    if (reach <= 0) return
    const edge = isBuy ? y - reach : y + reach
    const gradient = context.createLinearGradient(0, y, 0, edge)
    const { look } = this.#input
    const strength = mark.standing === 'won' ? 0.26 : 0.12
    gradient.addColorStop(0, fade(isBuy ? look.up : look.down, strength))
    gradient.addColorStop(1, fade(isBuy ? look.up : look.down, 0))
    context.fillStyle = gradient
    context.fillRect(from, Math.min(y, edge), to - from, reach)
  }
}

/** Returns the open trades, the one that ends first at the beginning. */
const nextToEnd = (marks: readonly Mark[]): Mark[] =>
  marks.filter((mark) => !mark.settled).sort((a, b) => a.endMs - b.endMs)
