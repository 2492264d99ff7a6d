import type {
  IPrimitivePaneRenderer,
  ISeriesPrimitive,
  ISeriesPrimitiveAxisView,
  Logical,
  Time,
} from 'lightweight-charts'
import type { Beginning } from './beginning.ts'
import { fade, type Look } from './look.ts'
import type { Mark } from './marks.ts'
import { LABEL_HEIGHT, mostLabels, placeLabels } from './place-labels.ts'

type Attached = Parameters<NonNullable<ISeriesPrimitive<Time>['attached']>>[0]
type Target = Parameters<IPrimitivePaneRenderer['draw']>[0]

const FONT = '600 11px "Inter Variable", system-ui, sans-serif'
const LABEL = { pad: 8, radius: LABEL_HEIGHT / 2 }
/** Width of the icons in a label: the side, and 'further right'. They are drawn because not every font has them. */
const SIGN = { side: 8, further: 9, gap: 5 }
/** Trades shorter than this extend the price scale so that their entry is visible, ms. */
const STRETCH_MS = 3_600_000
const OUT_OF_SIGHT = -100
/** More entry prices than these would hide the price axis. */
const AXIS_MOST = 6

export interface MarksInput {
  marks: readonly Mark[]
  look: Look
  /** Returns the fractional bar index of a time (Unix ms). */
  placeOf: (timeMs: number) => number | undefined
  priceText: (price: number) => string
  /** Where the tape begins, if that is in the picture. */
  beginning: Beginning | undefined
  /** The newest price, even while older bars are in view. */
  latest: number | undefined
}

/** Draws trades over the bars: entry line, end, label, and a subtle mark for settled ones. */
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
    this.#axis = this.#axisOf()
    this.#attached?.requestUpdate()
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

  #axisOf(): ISeriesPrimitiveAxisView[] {
    const { marks, look, priceText, latest } = this.#input
    const newest = {
      coordinate: () => this.#coordinate(latest),
      text: () => (latest === undefined ? '' : priceText(latest)),
      textColor: () => look.background,
      backColor: () => look.strong,
      visible: () => latest !== undefined,
    }
    const open = nextToEnd(marks)
      .filter((mark) => mark.entryPrice !== undefined)
      .slice(0, AXIS_MOST)
    // Trades with the same entry price share its label.
    const entries = [...Map.groupBy(open, (mark) => mark.entryPrice!)].map(([price, entered]) => {
      const hasBuy = entered.some((mark) => mark.side === 'Buy')
      const hasSell = entered.some((mark) => mark.side === 'Sell')
      return {
        coordinate: () => this.#coordinate(price),
        text: () => `${hasBuy ? '↑' : ''}${hasSell ? '↓' : ''} ${priceText(price)}`,
        textColor: () => (hasBuy && hasSell ? look.strong : hasBuy ? look.up : look.down),
        backColor: () => look.raised,
      }
    })
    return [...entries, newest]
  }

  #coordinate(price: number | undefined): number {
    const y = price === undefined ? null : this.#attached?.series.priceToCoordinate(price)
    return y ?? OUT_OF_SIGHT
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
    const attached = this.#attached
    if (!attached) return
    // biome-ignore lint/correctness/useHookAtTopLevel: a method of the chart library, not a hook
    target.useMediaCoordinateSpace(({ context, mediaSize }) => {
      const { marks, look, beginning } = this.#input
      context.save()
      context.font = FONT
      context.textBaseline = 'middle'
      if (beginning) this.#drawBeginning(context, mediaSize, beginning)
      const draw = (list: readonly Mark[], isFaint = false) =>
        list.flatMap((mark) => this.#drawMark(context, mediaSize, mark, isFaint) ?? [])
      const settled = draw(marks.filter((mark) => mark.settled).sort((a, b) => a.endMs - b.endMs))
      // The trades that end first are drawn last, on top, and their labels are placed first. Those without a label are
      // faint: dozens of them would hide the bars.
      const most = mostLabels(mediaSize.width)
      const open = nextToEnd(marks)
      draw(open.slice(most.open), true)
      drawLabels(
        context,
        [...settled.slice(-most.settled), ...draw(open.slice(0, most.open).reverse())],
        mediaSize,
        look,
      )
      context.restore()
    })
  }

  /** Draws the border at which the tape begins, with what is before and after it. */
  #drawBeginning(
    context: CanvasRenderingContext2D,
    size: { width: number; height: number },
    { ms, before, after }: Beginning,
  ): void {
    const x = this.#x(ms)
    if (x === undefined || x < 0 || x > size.width) return
    const { look } = this.#input
    context.strokeStyle = fade(look.text, 0.5)
    context.setLineDash([2, 4])
    line(context, x, 0, x, size.height)
    context.setLineDash([])
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

  #drawMark(
    context: CanvasRenderingContext2D,
    size: { width: number; height: number },
    mark: Mark,
    isFaint: boolean,
  ): Label | undefined {
    const { look } = this.#input
    const from = this.#x(mark.entryMs)
    const end = this.#x(mark.endMs)
    const y = mark.entryPrice === undefined ? null : (this.#attached?.series.priceToCoordinate(mark.entryPrice) ?? null)
    if (from === undefined || end === undefined) return undefined
    const colour = mark.side === 'Buy' ? look.up : look.down
    const to = Math.min(end, size.width)
    if (mark.settled) return this.#drawSettled(context, size, mark, from, end, y)

    if (y !== null && isFaint) {
      context.strokeStyle = fade(colour, 0.35)
      context.lineWidth = 1
      line(context, from, y, to, y)
      context.fillStyle = fade(colour, 0.6)
      triangle(context, from, y + pointing(mark.side) * 4, mark.side, 8)
    }
    if (isFaint) return undefined
    if (y !== null) {
      this.#drawWinSide(context, mark, Math.max(0, from), to, y, size.height)
      context.strokeStyle = colour
      context.lineWidth = 1.5
      line(context, from, y, to, y)
      context.fillStyle = colour
      triangle(context, from, y + pointing(mark.side) * 5, mark.side, 10)
    }
    if (end <= size.width) {
      context.strokeStyle = fade(colour, 0.55)
      context.lineWidth = 1
      context.setLineDash([3, 3])
      line(context, end, 0, end, size.height)
      context.setLineDash([])
      if (y !== null) {
        context.beginPath()
        context.arc(end, y, 3.5, 0, Math.PI * 2)
        context.fillStyle = look.background
        context.fill()
        context.strokeStyle = colour
        context.lineWidth = 1.5
        context.stroke()
      }
    }
    return { x: end, y: y ?? size.height / 2, mark }
  }

  /** Shades the side of the entry price where the trade wins. */
  #drawWinSide(
    context: CanvasRenderingContext2D,
    mark: Mark,
    from: number,
    to: number,
    y: number,
    height: number,
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

  #drawSettled(
    context: CanvasRenderingContext2D,
    size: { width: number },
    mark: Mark,
    from: number,
    end: number,
    y: number | null,
  ): Label | undefined {
    const { look } = this.#input
    const exitY =
      mark.exitPrice === undefined ? null : (this.#attached?.series.priceToCoordinate(mark.exitPrice) ?? null)
    if (end < 0 || from > size.width) return undefined
    const colour = mark.standing === 'won' ? look.up : mark.standing === 'lost' ? look.down : look.text
    if (y !== null && exitY !== null) {
      context.strokeStyle = fade(colour, 0.5 * mark.strength)
      context.lineWidth = 1
      context.setLineDash([2, 3])
      line(context, from, y, end, exitY)
      context.setLineDash([])
    }
    const at = exitY ?? y
    if (at === null) return undefined
    context.fillStyle = fade(colour, mark.strength)
    context.beginPath()
    context.arc(end, at, 4, 0, Math.PI * 2)
    context.fill()
    return { x: end, y: at, mark }
  }
}

/** Returns the open trades, the one that ends first at the beginning. */
const nextToEnd = (marks: readonly Mark[]): Mark[] =>
  marks.filter((mark) => !mark.settled).sort((a, b) => a.endMs - b.endMs)

interface Label {
  x: number
  y: number
  mark: Mark
}

/** Draws the labels; the last one in the list is placed first. A settled one gets a line to its exit. */
function drawLabels(
  context: CanvasRenderingContext2D,
  labels: readonly Label[],
  size: { width: number; height: number },
  look: Look,
): void {
  const wanted = [...labels].reverse().map(({ x, y, mark }) => {
    const isOut = !mark.settled && x > size.width
    const signs = SIGN.side + SIGN.gap + (isOut ? SIGN.gap + SIGN.further : 0)
    const width = Math.ceil(context.measureText(mark.label).width) + signs + LABEL.pad * 2
    return { x, y, mark, isOut, width, settled: mark.settled }
  })
  const placed = placeLabels(wanted, size)
  for (const [index, { x, y, mark, isOut, width }] of wanted.entries()) {
    const { left, y: at } = placed[index]!
    const right = left + width
    if (mark.settled) {
      context.strokeStyle = fade(look.text, 0.6 * mark.strength)
      context.lineWidth = 1
      context.setLineDash([1, 3])
      line(context, x, y, Math.max(left, Math.min(x, right)), at)
      context.setLineDash([])
    }
    drawLabel(context, { mark, isOut, left, y: at, width }, look)
  }
}

function drawLabel(
  context: CanvasRenderingContext2D,
  { mark, isOut, left, y, width }: { mark: Mark; isOut: boolean; left: number; y: number; width: number },
  look: Look,
): void {
  const colour = mark.standing === 'won' ? look.up : mark.standing === 'lost' ? look.down : look.text
  context.globalAlpha = mark.strength
  context.beginPath()
  context.roundRect(left, y - LABEL_HEIGHT / 2, width, LABEL_HEIGHT, LABEL.radius)
  // Winning labels are filled, all others outlined: text and shape carry the meaning, not only the colour.
  const isFilled = mark.standing === 'won' && !mark.settled
  context.fillStyle = isFilled ? colour : look.background
  context.fill()
  if (!isFilled) {
    context.strokeStyle = fade(colour, 0.8)
    context.lineWidth = 1
    context.stroke()
  }
  const ink = isFilled ? look.onUp : mark.standing === 'entering' ? look.strong : colour
  context.fillStyle = ink
  triangle(context, left + LABEL.pad + SIGN.side / 2, y, mark.side, SIGN.side)
  context.textAlign = 'left'
  context.fillText(mark.label, left + LABEL.pad + SIGN.side + SIGN.gap, y + 0.5)
  if (isOut) {
    context.strokeStyle = ink
    context.lineWidth = 1.5
    arrowRight(context, left + width - LABEL.pad - SIGN.further, y, SIGN.further)
  }
  context.globalAlpha = 1
}

function line(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  context.beginPath()
  context.moveTo(x1, y1)
  context.lineTo(x2, y2)
  context.stroke()
}

/** Returns the direction of a side: up is −1, as on the canvas. */
const pointing = (side: Mark['side']): 1 | -1 => (side === 'Buy' ? -1 : 1)

/** Draws the icon of a side, centred. */
function triangle(context: CanvasRenderingContext2D, x: number, y: number, side: Mark['side'], width: number): void {
  const half = pointing(side) * width * 0.4
  context.beginPath()
  context.moveTo(x, y + half)
  context.lineTo(x - width / 2, y - half)
  context.lineTo(x + width / 2, y - half)
  context.fill()
}

/** Draws the icon of an end that is out of view. */
function arrowRight(context: CanvasRenderingContext2D, x: number, y: number, width: number): void {
  context.beginPath()
  context.moveTo(x, y)
  context.lineTo(x + width, y)
  context.moveTo(x + width - 3.5, y - 3.5)
  context.lineTo(x + width, y)
  context.lineTo(x + width - 3.5, y + 3.5)
  context.stroke()
}
