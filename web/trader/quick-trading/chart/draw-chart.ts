import { createChartEx, type IChartApi, type ISeriesApi, type UTCTimestamp } from 'lightweight-charts'
import { formatPrice } from '#web/ui/index.ts'
import type { Beginning } from './beginning.ts'
import { type Bar, futureTimes, placeOf } from './candles.ts'
import {
  addFuture,
  addPrices,
  barSpacingOf,
  type ChartKind,
  chartLook,
  chartOptions,
  type PriceSeries,
  seriesLook,
} from './chart-options.ts'
import { type Labels, TradeMarks } from './draw-marks.ts'
import { localScale } from './local-scale.ts'
import { fade, type Look } from './look.ts'
import type { Mark } from './marks.ts'
import { NORMAL_ROOM, roomFor } from './room.ts'

export interface Picture {
  bars: readonly Bar[]
  intervalMs: number
  kind: ChartKind
  /** Decimals of the prices. */
  scale: number
  /** Where the tape begins, if that is in the picture. */
  beginning: Beginning | undefined
}

/** Number of future bars on the time axis. */
const FUTURE = { least: 20, most: 400 }
/** Load older bars when fewer than this are left of the view. */
const ASK_OLDER_AT = 30

export interface ChartEvents {
  /** Called when the view gets near the first bar. */
  onNeedOlder: () => void
  /** Called when the newest bar leaves the view or comes back. */
  onAway: (isAway: boolean) => void
  /** Called with the labels of open trades whenever they are drawn. */
  onLabels: (labels: Labels) => void
}

/** The chart in `box`, whose size it keeps. */
export class DrawnChart {
  readonly #box: HTMLElement
  readonly #events: ChartEvents
  readonly #chart: IChartApi
  readonly #future: ISeriesApi<'Area'>
  readonly #drawn: TradeMarks
  readonly #isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
  #prices: PriceSeries
  #picture: Picture = { bars: [], intervalMs: 60_000, kind: 'candles', scale: 2, beginning: undefined }
  #bars: Bar[] = []
  #marks: readonly Mark[] = []
  #look: Look
  #isAway = false
  /** Whether the space on the right is wider than normal, for open trades. */
  #isWidened = false
  #isRemoved = false
  #resized = 0

  constructor(box: HTMLElement, look: Look, events: ChartEvents) {
    this.#box = box
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
    }
    this.#setData()
    this.#drawn.set({ beginning: next.beginning, latest: this.#bars.at(-1) })
    this.#setFuture()
    this.#chart.applyOptions({ timeScale: { secondsVisible: next.intervalMs < 60_000 } })
    if (stay) return
    this.#prices.priceScale().applyOptions({ autoScale: true })
    this.#chart.timeScale().applyOptions({ barSpacing: barSpacingOf(this.#box.clientWidth) })
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
    this.#prices.update(this.#dataOf(bar))
    this.#drawn.set({ latest: bar })
    if (isNext) this.#setFuture()
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
    this.#chart.applyOptions(chartLook(next, this.#box.clientWidth))
    this.#prices.applyOptions(seriesLook(this.#picture.scale, next))
    this.#setData()
    this.#drawn.set({ look: next })
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

  #setData(): void {
    this.#prices.setData(this.#bars.map((bar) => this.#dataOf(bar)))
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

  #dataOf(bar: Bar) {
    const { beginning, kind } = this.#picture
    const { accent, up, down } = this.#look
    const isHistory = beginning?.before !== undefined && bar.time < beginning.ms
    const time = seconds(bar.time)
    const { open, high, low, close } = bar
    if (kind === 'line') {
      const pale = { lineColor: fade(accent, 0.5), topColor: fade(accent, 0.08), bottomColor: fade(accent, 0) }
      return { time, value: close, ...(isHistory && pale) }
    }
    if (!isHistory) return { time, open, high, low, close }
    const colour = fade(close >= open ? up : down, 0.5)
    return { time, open, high, low, close, color: colour, wickColor: colour, borderColor: colour }
  }
}

const seconds = (timeMs: number): UTCTimestamp => (timeMs / 1_000) as UTCTimestamp

const openMarks = (marks: readonly Mark[]): readonly Mark[] => marks.filter((mark) => !mark.settled)

const openIds = (marks: readonly Mark[]): string =>
  openMarks(marks)
    .map((mark) => mark.id)
    .join()

const endsOf = (marks: readonly Mark[]): number[] => openMarks(marks).map((mark) => mark.endMs)
