import type { IPrimitivePaneRenderer, ISeriesPrimitive, ISeriesPrimitiveAxisView, Time } from 'lightweight-charts'
import { formatPrice } from '#web/ui/index.ts'
import type { Bar } from '../chart/candles.ts'
import type { PriceSeries } from '../chart/drawing/chart-kinds.ts'
import type { Layer, Picture } from '../chart/drawing/draw-chart.ts'
import type { Look } from '../chart/drawing/look.ts'
import { dashed } from '../chart/drawing/shapes.ts'
import { levelsNear } from './levels-near.ts'

type Attached = Parameters<NonNullable<ISeriesPrimitive<Time>['attached']>>[0]
type Target = Parameters<IPrimitivePaneRenderer['draw']>[0]

/** A price of the shown symbol that an alert or an order waits for. */
interface DrawnLine {
  key: string
  price: number
  /** The price that the account has: `price`, unless the line is being moved. */
  kept: number
  isOrder: boolean
}

/** Where the lines are in the pane, from its top, and how wide it is. */
export interface LinePlaces {
  width: number
  lines: readonly { key: string; y: number }[]
}

/** Draws the lines of alerts and orders, with their prices on the axis. */
export class LinesLayer implements Layer, ISeriesPrimitive<Time> {
  readonly #onPlaces: (places: LinePlaces) => void
  #prices: PriceSeries
  #look: Look
  #attached: Attached | undefined
  #scale = 2
  #bars: readonly Bar[] = []
  #lines: readonly DrawnLine[] = []
  #placed = ''

  constructor(prices: PriceSeries, look: Look, onPlaces: (places: LinePlaces) => void) {
    this.#prices = prices
    this.#look = look
    this.#onPlaces = onPlaces
    prices.attachPrimitive(this)
  }

  set(lines: readonly DrawnLine[]): void {
    this.#lines = lines
    this.#redraw()
  }

  /** The price at a height of the pane. */
  priceAt(y: number): number | undefined {
    return this.#prices.coordinateToPrice(y) ?? undefined
  }

  attach(prices: PriceSeries): void {
    this.#prices = prices
    prices.attachPrimitive(this)
  }

  setBars({ scale }: Picture, bars: readonly Bar[]): void {
    this.#bars = bars
    this.#scale = scale
  }

  setLook(look: Look): void {
    this.#look = look
    this.#redraw()
  }

  remove(): void {
    this.#prices.detachPrimitive(this)
  }

  attached(attached: Attached): void {
    this.#attached = attached
    this.#redraw()
  }

  detached(): void {
    this.#attached = undefined
  }

  paneViews() {
    return [{ zOrder: () => 'normal' as const, renderer: () => ({ draw: (target: Target) => this.#draw(target) }) }]
  }

  /** Lines near the bars are in sight. One that is being moved doesn't move the scale below the pointer. */
  autoscaleInfo(from: number, to: number) {
    const near = levelsNear(
      this.#bars,
      { from, to },
      this.#lines.map(({ kept }) => kept),
    )
    return near === undefined ? null : { priceRange: near }
  }

  priceAxisViews(): ISeriesPrimitiveAxisView[] {
    return this.#lines.map(({ price, isOrder }) => ({
      coordinate: () => this.#yOf(price),
      text: () => formatPrice(price, this.#scale),
      textColor: () => this.#look.background,
      backColor: () => this.#colour(isOrder),
    }))
  }

  #colour = (isOrder: boolean): string => (isOrder ? this.#look.accent : this.#look.warn)

  #yOf(price: number): number {
    return this.#prices.priceToCoordinate(price) ?? -1e4
  }

  #redraw(): void {
    this.#attached?.requestUpdate()
  }

  #draw(target: Target): void {
    // biome-ignore lint/correctness/useHookAtTopLevel: a method of the chart library, not a hook
    target.useMediaCoordinateSpace(({ context, mediaSize: { width, height } }) => {
      const places = this.#lines.map(({ key, price, isOrder }) => ({ key, isOrder, y: Math.round(this.#yOf(price)) }))
      const lines = places.filter(({ y }) => y >= 0 && y <= height)
      context.lineWidth = 1
      for (const { y, isOrder } of lines) {
        context.strokeStyle = this.#colour(isOrder)
        dashed(context, [3, 3], 0, y + 0.5, width, y + 0.5)
      }
      const placed = JSON.stringify([width, lines])
      if (placed === this.#placed) return
      this.#placed = placed
      // Not while the library draws.
      queueMicrotask(() => this.#onPlaces({ width, lines }))
    })
  }
}
