import type {
  IChartApi,
  IPrimitivePaneRenderer,
  ISeriesPrimitive,
  ISeriesPrimitiveAxisView,
  Logical,
  Time,
} from 'lightweight-charts'
import type { Drawing } from '#contract/trading/chart.ts'
import { type ChartColour, DRAWING_POINTS, type DrawingKind } from '#contract/trading/chart-terms.ts'
import { formatDateTime, formatPrice } from '#web/ui/index.ts'
import { type Bar, placeOf } from '../chart/candles.ts'
import type { PriceSeries } from '../chart/drawing/chart-kinds.ts'
import type { Layer, Picture } from '../chart/drawing/draw-chart.ts'
import { fade, type Look } from '../chart/drawing/look.ts'
import { shadeOf } from '../chart/drawing/palette.ts'
import { dashed, dot, line } from '../chart/drawing/shapes.ts'
import {
  freeId,
  moved,
  type Part,
  type Point,
  type Projection,
  partAt,
  type Size,
  type Spot,
  shapeOf,
  snapped,
  timeAt,
  withPoint,
} from './drawing.ts'

type Attached = Parameters<NonNullable<ISeriesPrimitive<Time>['attached']>>[0]
type Target = Parameters<IPrimitivePaneRenderer['draw']>[0]

const FONT = '500 11px "Inter Variable", system-ui, sans-serif'
/** How close to a line a press selects it, px. */
const REACH = { mouse: 6, touch: 16 }
/** How close to a price a point snaps to it, px. */
const SNAP_PX = 12
/** A press that moves less than this is a click, px. */
const CLICK_PX = 5

interface DrawingState {
  drawings: readonly Drawing[]
  selectedId: string | undefined
  /** The kind that the next presses draw. */
  tool: DrawingKind | undefined
  colour: ChartColour
  isSnapping: boolean
}

export interface DrawingEvents {
  onSelect: (id: string | undefined) => void
  /** Called with a new drawing, or a changed one, once the hand has left it. */
  onDrawn: (drawing: Drawing) => void
}

/** What the pointer is doing. */
interface Gesture {
  start: Point
  from: Spot
  /** The drawing as it was when it was taken hold of. */
  held: Drawing
  part: Part
}

/** Draws lines and shapes over the prices, and moves them with the pointer. */
export class DrawingLayer implements Layer, ISeriesPrimitive<Time> {
  readonly #chart: IChartApi
  readonly #box: HTMLElement
  readonly #events: DrawingEvents
  #prices: PriceSeries
  #look: Look
  #attached: Attached | undefined
  #picture: Picture | undefined
  #bars: readonly Bar[] = []
  #size: Size = { width: 0, height: 0 }
  #state: DrawingState = { drawings: [], selectedId: undefined, tool: undefined, colour: 'blue', isSnapping: true }
  /** A drawing that is being made or moved; shown in place of the kept one. */
  #live: Drawing | undefined
  #gesture: Gesture | undefined
  /** The point that the keyboard places next. */
  #cursor: Point | undefined

  constructor(chart: IChartApi, prices: PriceSeries, look: Look, box: HTMLElement, events: DrawingEvents) {
    this.#chart = chart
    this.#prices = prices
    this.#look = look
    this.#box = box
    this.#events = events
    prices.attachPrimitive(this)
    box.addEventListener('pointerdown', this.#onDown, { capture: true })
    box.addEventListener('pointermove', this.#onMove, { capture: true })
    box.addEventListener('pointerup', this.#onUp, { capture: true })
    box.addEventListener('pointercancel', this.#onCancel, { capture: true })
  }

  set(state: DrawingState): void {
    const isOtherTool = state.tool !== this.#state.tool
    this.#state = state
    if (isOtherTool) {
      this.#live = undefined
      this.#cursor = undefined
    }
    const isActive = state.tool !== undefined || state.selectedId !== undefined
    // A finger draws or moves instead of scrolling the page.
    this.#box.style.touchAction = isActive ? 'none' : ''
    this.#box.style.cursor = state.tool === undefined ? '' : 'crosshair'
    this.#redraw()
  }

  attach(prices: PriceSeries): void {
    this.#prices = prices
    prices.attachPrimitive(this)
  }

  setBars(picture: Picture, bars: readonly Bar[]): void {
    this.#picture = picture
    this.#bars = bars
  }

  setLook(look: Look): void {
    this.#look = look
    this.#redraw()
  }

  remove(): void {
    this.#box.removeEventListener('pointerdown', this.#onDown, { capture: true })
    this.#box.removeEventListener('pointermove', this.#onMove, { capture: true })
    this.#box.removeEventListener('pointerup', this.#onUp, { capture: true })
    this.#box.removeEventListener('pointercancel', this.#onCancel, { capture: true })
    this.#box.style.touchAction = ''
    this.#box.style.cursor = ''
    this.#letChartMove(true)
    this.#prices.detachPrimitive(this)
  }

  attached(attached: Attached): void {
    this.#attached = attached
  }

  detached(): void {
    this.#attached = undefined
  }

  paneViews() {
    return [{ zOrder: () => 'normal' as const, renderer: () => ({ draw: (target: Target) => this.#draw(target) }) }]
  }

  priceAxisViews(): ISeriesPrimitiveAxisView[] {
    return this.#shown()
      .filter(({ kind }) => kind === 'horizontal')
      .map(({ points: [point], colour }) => ({
        coordinate: () => this.#yOf(point?.price ?? 0),
        text: () => this.#priceText(point?.price ?? 0),
        textColor: () => this.#look.background,
        backColor: () => shadeOf(colour, this.#look),
      }))
  }

  /**
   * Handles a key, and returns whether it did: arrows move the point to place, or the selected drawing; Enter places;
   * Escape ends. Coarse steps are those with Shift.
   */
  key(key: string, isCoarse: boolean): boolean {
    const { tool, selectedId } = this.#state
    const arrows: Record<string, [bars: number, steps: number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, 1],
      ArrowDown: [0, -1],
    }
    const step = arrows[key]
    if (tool === undefined && selectedId === undefined) return false
    if (step) {
      const times = isCoarse ? 10 : 1
      this.#moveBy((this.#picture?.intervalMs ?? 0) * step[0] * times, this.#priceStep() * step[1] * times)
      return true
    }
    if (key === 'Enter' && tool !== undefined) {
      this.#place(this.#cursorPoint())
      return true
    }
    if (key !== 'Escape') return false
    this.#live = undefined
    this.#cursor = undefined
    this.#events.onSelect(undefined)
    return true
  }

  #moveBy(time: number, price: number): void {
    const { tool, drawings, selectedId } = this.#state
    if (tool === undefined) {
      const selected = drawings.find(({ id }) => id === selectedId)
      if (selected) this.#events.onDrawn(moved(selected, 'body', { time, price }))
      return
    }
    const cursor = this.#cursorPoint()
    this.#cursor = { time: cursor.time + time, price: cursor.price + price }
    if (this.#live) this.#live = withPoint(this.#live, 1, this.#cursor)
    this.#redraw()
  }

  /** Where the keyboard draws: at first the newest bar in view. */
  #cursorPoint(): Point {
    if (this.#cursor) return this.#cursor
    const range = this.#chart.timeScale().getVisibleLogicalRange()
    const index = Math.max(0, Math.min(this.#bars.length - 1, Math.floor(range?.to ?? 0)))
    const bar = this.#bars[index]
    return { time: bar?.time ?? 0, price: bar?.close ?? 0 }
  }

  /** A hundredth of the visible prices. */
  #priceStep(): number {
    const [top, bottom] = [this.#prices.coordinateToPrice(0), this.#prices.coordinateToPrice(this.#size.height)]
    return top === null || bottom === null ? 0 : Math.abs(top - bottom) / 100
  }

  /** Places a point of the new drawing: its first, or its second, which completes it. */
  #place(point: Point): void {
    const { tool, colour, drawings } = this.#state
    if (tool === undefined) return
    if (this.#live) {
      this.#finish(withPoint(this.#live, 1, point))
      return
    }
    const points = Array.from({ length: DRAWING_POINTS[tool] }, () => point)
    const made: Drawing = { id: freeId(drawings), kind: tool, colour, points }
    if (points.length === 1) this.#finish(made)
    else {
      this.#live = made
      this.#redraw()
    }
  }

  #finish(drawing: Drawing): void {
    this.#live = undefined
    this.#cursor = undefined
    this.#events.onDrawn(drawing)
  }

  readonly #onDown = (event: PointerEvent): void => {
    const spot = this.#spotIn(event)
    if (!spot || !event.isPrimary || event.button > 0) return
    const { tool, selectedId } = this.#state
    const start = this.#pointAt(spot)
    if (tool !== undefined) {
      event.stopPropagation()
      this.#letChartMove(false)
      // A finger's second press comes without a move to it.
      if (this.#live) this.#live = withPoint(this.#live, 1, this.#snap(start))
      else this.#place(this.#snap(start))
      if (this.#live) this.#gesture = { start, from: spot, held: this.#live, part: 1 }
      return
    }
    const reach = event.pointerType === 'mouse' ? REACH.mouse : REACH.touch
    const hit = this.#hit(spot, reach)
    // A finger first selects, then moves: else a drawing would stop it from panning.
    if (hit && (event.pointerType === 'mouse' || hit.drawing.id === selectedId)) {
      this.#letChartMove(false)
      this.#gesture = { start, from: spot, held: hit.drawing, part: hit.part }
      if (hit.drawing.id !== selectedId) this.#events.onSelect(hit.drawing.id)
      return
    }
    this.#pressed = { spot, id: hit?.drawing.id }
  }

  /** A press that may become a click: on a drawing, or on none. */
  #pressed: { spot: Spot; id: string | undefined } | undefined

  readonly #onMove = (event: PointerEvent): void => {
    const spot = this.#spotIn(event)
    if (!spot) return
    const { tool } = this.#state
    if (!this.#gesture) {
      if (this.#live && tool !== undefined) {
        this.#live = withPoint(this.#live, 1, this.#snap(this.#pointAt(spot)))
        this.#redraw()
      } else if (tool === undefined && event.pointerType === 'mouse')
        this.#box.style.cursor = this.#hit(spot, REACH.mouse) ? 'pointer' : ''
      return
    }
    const { held, part, start } = this.#gesture
    const to = this.#pointAt(spot)
    this.#live =
      part === 'body'
        ? moved(held, 'body', { time: to.time - start.time, price: to.price - start.price })
        : withPoint(held, part, this.#snap(to))
    this.#redraw()
  }

  readonly #onUp = (event: PointerEvent): void => {
    const spot = this.#spotIn(event)
    const { gesture, pressed } = this.#takeGesture()
    this.#letChartMove(true)
    if (!spot) return
    const isClick = (from: Spot) => Math.hypot(spot.x - from.x, spot.y - from.y) < CLICK_PX
    if (gesture && this.#live) {
      // The first of two clicks leaves the end of the line to the next one.
      const isFirstClick = this.#state.tool !== undefined && isClick(gesture.from) && this.#isPoint(gesture.held)
      if (!isFirstClick) this.#finish(this.#live)
      return
    }
    if (pressed && isClick(pressed.spot) && pressed.id !== this.#state.selectedId) this.#events.onSelect(pressed.id)
  }

  readonly #onCancel = (): void => {
    this.#takeGesture()
    if (this.#state.tool === undefined) this.#live = undefined
    this.#letChartMove(true)
    this.#redraw()
  }

  #takeGesture() {
    const [gesture, pressed] = [this.#gesture, this.#pressed]
    this.#gesture = undefined
    this.#pressed = undefined
    return { gesture, pressed }
  }

  /** Whether both ends are still at one place. */
  #isPoint({ points: [first, second] }: Drawing): boolean {
    return first?.time === second?.time && first?.price === second?.price
  }

  #letChartMove(may: boolean): void {
    if (this.#attached)
      this.#chart.applyOptions({ handleScroll: { pressedMouseMove: may, horzTouchDrag: may }, handleScale: may })
  }

  /** Where an event is in the pane of the prices; undefined outside of it. */
  #spotIn({ clientX, clientY }: PointerEvent): Spot | undefined {
    const { left, top } = this.#box.getBoundingClientRect()
    const spot = { x: clientX - left, y: clientY - top }
    const isInside = spot.x >= 0 && spot.y >= 0 && spot.x <= this.#size.width && spot.y <= this.#size.height
    return isInside || this.#gesture ? spot : undefined
  }

  #hit(spot: Spot, reach: number): { drawing: Drawing; part: Part } | undefined {
    // The last one drawn is on top.
    for (const drawing of [...this.#state.drawings].reverse()) {
      const part = partAt(spot, shapeOf(drawing, this.#size, this.#projection), reach)
      if (part !== undefined) return { drawing, part }
    }
    return undefined
  }

  #pointAt({ x, y }: Spot): Point {
    const { start, px } = this.#axis()
    const time = Math.max(0, Math.round(timeAt(this.#bars, this.#picture?.intervalMs ?? 1, (x - start) / px)))
    return { time, price: this.#prices.coordinateToPrice(y) ?? 0 }
  }

  #snap(point: Point): Point {
    if (!this.#state.isSnapping) return point
    const place = placeOf(this.#bars, this.#picture?.intervalMs ?? 1, point.time)
    const bar = place === undefined ? undefined : this.#bars[Math.round(place)]
    return snapped(point, bar, (price) => this.#yOf(price), SNAP_PX)
  }

  /** The place of the first bar, and the width of each: the library only converts whole bars. */
  #axis(): { start: number; px: number } {
    const scale = this.#chart.timeScale()
    const start = scale.logicalToCoordinate(0 as Logical) ?? 0
    return { start, px: (scale.logicalToCoordinate(1 as Logical) ?? start + 1) - start || 1 }
  }

  #yOf(price: number): number {
    return this.#prices.priceToCoordinate(price) ?? -1e4
  }

  #priceText(price: number): string {
    return formatPrice(price, this.#picture?.scale ?? 2)
  }

  readonly #projection: Projection = {
    spotOf: ({ time, price }) => {
      const { start, px } = this.#axis()
      const place = placeOf(this.#bars, this.#picture?.intervalMs ?? 1, time) ?? 0
      return { x: start + place * px, y: this.#yOf(price) }
    },
    yOf: (price) => this.#yOf(price),
    priceText: (price) => this.#priceText(price),
    timeText: formatDateTime,
  }

  /** The kept drawings, with the one that is being made or moved as it is now. */
  #shown(): readonly Drawing[] {
    const live = this.#live
    if (!live) return this.#state.drawings
    const isKept = this.#state.drawings.some(({ id }) => id === live.id)
    return isKept
      ? this.#state.drawings.map((one) => (one.id === live.id ? live : one))
      : [...this.#state.drawings, live]
  }

  #redraw(): void {
    this.#attached?.requestUpdate()
  }

  #draw(target: Target): void {
    // biome-ignore lint/correctness/useHookAtTopLevel: a method of the chart library, not a hook
    target.useMediaCoordinateSpace(({ context, mediaSize }) => {
      this.#size = mediaSize
      context.save()
      context.font = FONT
      context.textBaseline = 'middle'
      for (const drawing of this.#shown()) this.#drawOne(context, drawing)
      if (this.#cursor) this.#drawCursor(context, this.#projection.spotOf(this.#cursor))
      context.restore()
    })
  }

  #drawOne(context: CanvasRenderingContext2D, drawing: Drawing): void {
    const { lines, box, labels, handles } = shapeOf(drawing, this.#size, this.#projection)
    const colour = shadeOf(drawing.colour, this.#look)
    const isSelected = drawing.id === this.#state.selectedId || drawing.id === this.#live?.id
    context.strokeStyle = colour
    context.fillStyle = colour
    context.lineWidth = isSelected ? 2 : 1.5
    for (const { from, to, isFaint } of lines)
      if (isFaint) dashed(context, [2, 4], from.x, from.y, to.x, to.y)
      else line(context, from.x, from.y, to.x, to.y)
    if (box) {
      const [x, y] = [Math.min(box.from.x, box.to.x), Math.min(box.from.y, box.to.y)]
      const [width, height] = [Math.abs(box.to.x - box.from.x), Math.abs(box.to.y - box.from.y)]
      context.fillStyle = fade(colour, 0.14)
      context.fillRect(x, y, width, height)
      context.strokeRect(x, y, width, height)
      context.fillStyle = colour
    }
    for (const { at, text } of labels) context.fillText(text, at.x, at.y)
    if (!isSelected) return
    for (const { x, y } of handles) {
      context.fillStyle = this.#look.background
      dot(context, x, y, 5)
      context.stroke()
    }
  }

  #drawCursor(context: CanvasRenderingContext2D, { x, y }: Spot): void {
    context.strokeStyle = this.#look.strong
    context.lineWidth = 1
    dashed(context, [3, 3], x, 0, x, this.#size.height)
    dashed(context, [3, 3], 0, y, this.#size.width, y)
    context.fillStyle = this.#look.strong
    dot(context, x, y, 4)
  }
}
