import {
  createChartEx,
  type IChartApi,
  type ISeriesApi,
  type MouseEventParams,
  PriceScaleMode,
  type UTCTimestamp,
} from 'lightweight-charts'
import type { ChartKind } from '#contract/trading/chart-terms.ts'
import { heikinAshi } from '#kernel/indicators/heikin-ashi.ts'
import { formatPrice } from '#web/ui/index.ts'
import type { Beginning } from '../beginning.ts'
import { type Bar, futureTimes, placeOf } from '../candles.ts'
import type { Mark } from '../labels/marks.ts'
import { NORMAL_ROOM, roomFor } from '../labels/room.ts'
import { useLegend } from '../legend/legend-store.ts'
import { localScale } from '../local-scale.ts'
import { addPrices, type PriceSeries, pointOf } from './chart-kinds.ts'
import { addFuture, barSpacingOf, chartLook, chartOptions, seriesLook } from './chart-options.ts'
import { type Labels, TradeMarks } from './draw-marks.ts'
import type { Look } from './look.ts'

export interface Picture {
  bars: readonly Bar[]
  intervalMs: number
  kind: ChartKind
  /** The price axis is logarithmic. */
  log: boolean
  /** Decimals of the prices. */
  scale: number
  /** Where the tape begins, if that is in the picture. */
  beginning: Beginning | undefined
}

/** Number of future bars on the time axis. */
const FUTURE = { least: 20, most: 400 }
/** Load older bars when fewer than this are left of the view. */
const ASK_OLDER_AT = 30

interface ChartEvents {
  /** Called when the view gets near the first bar. */
  onNeedOlder: () => void
  /** Called when the newest bar leaves the view or comes back. */
  onAway: (isAway: boolean) => void
  /** Called with the labels of open trades whenever they are drawn. */
  onLabels: (labels: Labels) => void
}

/** What is drawn besides the prices and trades, and loaded only when it's used: indicators, drawings. */
export interface Layer {
  /** The price series was replaced: what was attached to the one before is gone. */
  attach: (prices: PriceSeries) => void
  /** All bars, or only the newest one, changed. */
  setBars: (picture: Picture, bars: readonly Bar[], only: 'all' | 'newest' | 'next') => void
  setLook: (look: Look) => void
  /** Called before the legend shows a bar. */
  point?: (index: number) => void
  remove: () => void
}

/** The chart in `box`, whose size it keeps. */
export class DrawnChart {
  readonly box: HTMLElement
  readonly #events: ChartEvents
  readonly #chart: IChartApi
  readonly #future: ISeriesApi<'Area'>
  readonly #drawn: TradeMarks
  readonly #isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
  #prices: PriceSeries
  #picture: Picture = { bars: [], intervalMs: 60_000, kind: 'candles', log: false, scale: 2, beginning: undefined }
  #bars: Bar[] = []
  #marks: readonly Mark[] = []
  #look: Look
  #isAway = false
  /** Whether the space on the right is wider than normal, for open trades. */
  #isWidened = false
  #isRemoved = false
  #resized = 0
  /** What is shown of the bars as Heikin Ashi candles. */
  #heikin = heikinAshi()
  readonly #layers = new Set<Layer>()
  /** The bar under the crosshair. */
  #pointed: number | undefined

  constructor(box: HTMLElement, look: Look, events: ChartEvents) {
    this.box = box
    this.#look = look
    this.#events = events
    this.#chart = createChartEx(box, localScale(), chartOptions(look, box.clientWidth))
    this.#future = addFuture(this.#chart)
    this.#prices = addPrices(this.#chart, this.#picture.kind, this.#picture.scale, look)
    this.#drawn = new TradeMarks({
      marks: [],
      highlit: [],
      look,
      placeOf: (timeMs) => placeOf(this.#bars, this.#picture.intervalMs, timeMs),
      priceText: (price) => formatPrice(price, this.#picture.scale),
      beginning: undefined,
      latest: undefined,
      onLabels: events.onLabels,
    })
    this.#prices.attachPrimitive(this.#drawn)
    this.#chart.subscribeCrosshairMove((event) => this.#onCrosshair(event))
    const time = this.#chart.timeScale()
    time.subscribeVisibleLogicalRangeChange((range) => this.#onRange(range))
    time.subscribeSizeChange(() => {
      cancelAnimationFrame(this.#resized)
      // The range of the new size is known only after it was drawn.
      this.#resized = requestAnimationFrame(() => this.#fitRoom())
    })
  }

  /** Shows other bars. `stay` keeps the view where it is (older bars were added, or the same ones reloaded). */
  show(next: Picture, stay: boolean): void {
    const isOtherSeries = next.kind !== this.#picture.kind || next.scale !== this.#picture.scale
    this.#picture = next
    this.#bars = [...next.bars]
    if (isOtherSeries) {
      this.#prices.detachPrimitive(this.#drawn)
      this.#chart.removeSeries(this.#prices)
      this.#prices = addPrices(this.#chart, next.kind, next.scale, this.#look)
      this.#prices.attachPrimitive(this.#drawn)
      for (const layer of this.#layers) layer.attach(this.#prices)
    }
    const mode = next.log ? PriceScaleMode.Logarithmic : PriceScaleMode.Normal
    this.#prices.priceScale().applyOptions({ mode })
    this.#setData()
    this.#tellLayers('all')
    this.#drawn.set({ beginning: next.beginning, latest: this.#bars.at(-1) })
    this.#setFuture()
    this.#chart.applyOptions({ timeScale: { secondsVisible: next.intervalMs < 60_000 } })
    if (stay) return
    this.#prices.priceScale().applyOptions({ autoScale: true })
    this.#chart.timeScale().applyOptions({ barSpacing: barSpacingOf(this.box.clientWidth) })
    this.#chart.timeScale().scrollToPosition(NORMAL_ROOM, false)
    this.#fitRoom()
  }

  /** Updates the newest bar, or appends the next one. */
  update(bar: Bar): void {
    const last = this.#bars.at(-1)
    if (last && bar.time < last.time) return
    const isNext = !last || bar.time > last.time
    if (isNext) this.#bars.push(bar)
    else this.#bars[this.#bars.length - 1] = bar
    this.#prices.update(this.#dataOf(bar, this.#bars.at(-2), !isNext) as never)
    this.#drawn.set({ latest: bar })
    if (isNext) this.#setFuture()
    this.#tellLayers(isNext ? 'next' : 'newest')
  }

  setMarks(next: readonly Mark[]): void {
    if (this.#isRemoved) return
    const isOther = openIds(next) !== openIds(this.#marks)
    this.#marks = next
    this.#drawn.set({ marks: next })
    if (!isOther) return
    this.#setFuture()
    this.#fitRoom()
  }

  setHighlit(highlit: readonly string[]): void {
    this.#drawn.set({ highlit })
  }

  setLook(next: Look): void {
    this.#look = next
    this.#chart.applyOptions(chartLook(next, this.box.clientWidth))
    const { kind, scale } = this.#picture
    this.#prices.applyOptions({ ...seriesLook(scale, next), ...(kind === 'line' && { color: next.accent }) })
    this.#setData()
    this.#drawn.set({ look: next })
    for (const layer of this.#layers) layer.setLook(next)
    this.#writeLegend()
  }

  /** Adds a layer, and returns what removes it. */
  add<T extends Layer>(make: (chart: IChartApi, prices: PriceSeries, look: Look) => T): T {
    const layer = make(this.#chart, this.#prices, this.#look)
    this.#layers.add(layer)
    layer.setBars(this.#picture, this.#bars, 'all')
    this.#writeLegend()
    return layer
  }

  drop(layer: Layer): void {
    if (!this.#layers.delete(layer) || this.#isRemoved) return
    layer.remove()
    this.#writeLegend()
  }

  /** Moves the crosshair by so many bars, from the newest one in view at first. Returns whether there is one. */
  movePoint(by: number): boolean {
    const scale = this.#chart.timeScale()
    const range = scale.getVisibleLogicalRange()
    if (!range || this.#bars.length === 0) return false
    const start =
      this.#pointed === undefined ? Math.min(this.#bars.length - 1, Math.floor(range.to)) : this.#pointed + by
    const index = Math.max(0, Math.min(this.#bars.length - 1, start))
    const bar = this.#bars[index]
    if (!bar) return false
    const width = range.to - range.from
    if (index < range.from) scale.setVisibleLogicalRange({ from: index, to: index + width })
    if (index > range.to) scale.setVisibleLogicalRange({ from: index - width, to: index })
    this.#chart.setCrosshairPosition(bar.close, seconds(bar.time), this.#prices)
    this.#pointed = index
    this.#writeLegend()
    return true
  }

  /** Takes the crosshair away. */
  clearPoint(): void {
    this.#chart.clearCrosshairPosition()
    this.#pointed = undefined
    this.#writeLegend()
  }

  /** Returns a picture of the chart as it is. */
  screenshot(): HTMLCanvasElement {
    return this.#chart.takeScreenshot(true, false)
  }

  /** Moves the view to a time, unless it's in view. Returns whether its bar is loaded; if not, older ones follow. */
  goTo(timeMs: number): boolean {
    const place = placeOf(this.#bars, this.#picture.intervalMs, timeMs)
    const scale = this.#chart.timeScale()
    const range = scale.getVisibleLogicalRange()
    if (place === undefined || !range) return false
    if (place < range.from || place > range.to) {
      const width = range.to - range.from
      const from = Math.max(0, place - width / 3)
      scale.setVisibleLogicalRange({ from, to: from + width })
    }
    return place >= 0
  }

  /** Scrolls back to the newest bar. */
  toNewest(): void {
    this.#chart.timeScale().scrollToPosition(NORMAL_ROOM, !this.#isStill)
    this.#fitRoom()
  }

  remove(): void {
    this.#isRemoved = true
    for (const layer of this.#layers) layer.remove()
    cancelAnimationFrame(this.#resized)
    this.#chart.remove()
  }

  #onRange(range: { from: number; to: number } | null): void {
    if (!range || this.#bars.length === 0) return
    if (range.from < ASK_OLDER_AT) this.#events.onNeedOlder()
    if (this.#isAway === range.to < this.#bars.length - 1) return
    this.#isAway = !this.#isAway
    this.#events.onAway(this.#isAway)
  }

  #onCrosshair({ logical, point }: MouseEventParams): void {
    const isOnBars = point !== undefined && logical !== undefined && logical >= 0 && logical < this.#bars.length
    const pointed = isOnBars ? logical : undefined
    if (pointed === this.#pointed) return
    this.#pointed = pointed
    this.#writeLegend()
  }

  #tellLayers(only: 'all' | 'newest' | 'next'): void {
    for (const layer of this.#layers) layer.setBars(this.#picture, this.#bars, only)
    this.#writeLegend()
  }

  #writeLegend(): void {
    const index = this.#pointed ?? this.#bars.length - 1
    useLegend.setState({
      bar: this.#bars[index],
      before: this.#bars[index - 1],
      isPointed: this.#pointed !== undefined,
      ...(this.#layers.size === 0 && { lines: [] }),
    })
    for (const layer of this.#layers) layer.point?.(index)
  }

  #setData(): void {
    this.#heikin = heikinAshi()
    this.#prices.setData(this.#bars.map((bar, index) => this.#dataOf(bar, this.#bars[index - 1], false)) as never)
  }

  #setFuture(): void {
    const last = this.#bars.at(-1)
    if (!last) {
      this.#future.setData([])
      return
    }
    const { intervalMs } = this.#picture
    const ends = endsOf(this.#marks).map((endMs) => endMs + intervalMs * 3)
    const until = Math.max(last.time + FUTURE.least * intervalMs, ...ends)
    const times = futureTimes(last.time, intervalMs, until, FUTURE.most)
    this.#future.setData(times.map((time) => ({ time: seconds(time) })))
  }

  /** Fits the space on the right to the open trades, unless the trader is looking at older bars. */
  #fitRoom(): void {
    const last = this.#bars.at(-1)
    const scale = this.#chart.timeScale()
    const range = scale.getVisibleLogicalRange()
    if (!last || !range) return
    const room = range.to - (this.#bars.length - 1)
    if (room < 0) return
    const wanted = roomFor(endsOf(this.#marks), {
      lastMs: last.time,
      intervalMs: this.#picture.intervalMs,
      bars: range.to - range.from,
      barPx: scale.options().barSpacing,
    })
    if (wanted > room || (this.#isWidened && wanted < room)) scale.scrollToPosition(wanted, !this.#isStill)
    this.#isWidened = wanted > NORMAL_ROOM
  }

  /** What the series shows of a bar; `again` if it was shown before, when it was less complete. */
  #dataOf(bar: Bar, before: Bar | undefined, again: boolean) {
    const { beginning, kind } = this.#picture
    const isHistory = beginning?.before !== undefined && bar.time < beginning.ms
    const shown = kind === 'heikin' ? (this.#heikin(bar, again) ?? bar) : bar
    return { time: seconds(bar.time), ...pointOf(kind, shown, before, isHistory, this.#look) }
  }
}

export const seconds = (timeMs: number): UTCTimestamp => (timeMs / 1_000) as UTCTimestamp

const openMarks = (marks: readonly Mark[]): readonly Mark[] => marks.filter((mark) => !mark.settled)

const openIds = (marks: readonly Mark[]): string =>
  openMarks(marks)
    .map((mark) => mark.id)
    .join()

const endsOf = (marks: readonly Mark[]): number[] => openMarks(marks).map((mark) => mark.endMs)
