import {
  AreaSeries,
  CandlestickSeries,
  ColorType,
  CrosshairMode,
  createChart,
  type IChartApi,
  type ISeriesApi,
  LineStyle,
  TickMarkType,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts'
import { formatDate, formatDateTime, formatPrice, formatTime } from '#web/ui/index.ts'
import type { Beginning } from './beginning.ts'
import { type Bar, futureTimes, placeOf } from './candles.ts'
import { type Labels, TradeMarks } from './draw-marks.ts'
import { fade, type Look } from './look.ts'
import type { Mark } from './marks.ts'
import { NORMAL_ROOM, roomFor } from './room.ts'

export type ChartKind = 'candles' | 'line'

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

/** A narrower box is a phone's. */
const NARROW_PX = 500

export type Drawn = ReturnType<typeof drawChart>

export interface ChartEvents {
  /** Called when the view gets near the first bar. */
  onNeedOlder: () => void
  /** Called when the newest bar leaves the view or comes back. */
  onAway: (isAway: boolean) => void
  /** Called with the labels of open trades whenever they are drawn. */
  onLabels: (labels: Labels) => void
}

/** Draws the chart into `box` and keeps its size. The only module that uses the chart library. */
export function drawChart(box: HTMLElement, look: Look, { onNeedOlder, onAway, onLabels }: ChartEvents) {
  let picture: Picture = { bars: [], intervalMs: 60_000, kind: 'candles', scale: 2, beginning: undefined }
  let bars: Bar[] = []
  let marks: readonly Mark[] = []
  let colours = look
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches

  const chart = createChart(box, {
    autoSize: true,
    ...chartLook(colours, box.clientWidth),
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.12, bottom: 0.1 } },
    localization: { locale: 'en-US', timeFormatter: (time: Time) => formatDateTime(Number(time) * 1_000) },
    timeScale: {
      borderVisible: false,
      timeVisible: true,
      secondsVisible: true,
      rightOffset: NORMAL_ROOM,
      barSpacing: 8,
      minBarSpacing: 1.5,
      shiftVisibleRangeOnNewBar: true,
      allowShiftVisibleRangeOnWhitespaceReplacement: true,
      tickMarkFormatter: (time: Time, kind: TickMarkType) => tickText(Number(time) * 1_000, kind),
    },
    handleScroll: { vertTouchDrag: false },
  })
  const future = chart.addSeries(AreaSeries, {
    // A separate scale: the first series on a scale decides the format of its prices.
    priceScaleId: 'future',
    lineVisible: false,
    lastValueVisible: false,
    priceLineVisible: false,
    crosshairMarkerVisible: false,
  })
  let series = addSeries(chart, picture, colours)
  const drawn = new TradeMarks({
    marks: [],
    highlit: [],
    look: colours,
    placeOf: (timeMs) => placeOf(bars, picture.intervalMs, timeMs),
    priceText: (price) => formatPrice(price, picture.scale),
    beginning: undefined,
    latest: undefined,
    onLabels,
  })
  series.attachPrimitive(drawn)

  let isAway = false
  const onRange = (range: { from: number; to: number } | null) => {
    if (!range || bars.length === 0) return
    if (range.from < ASK_OLDER_AT) onNeedOlder()
    if (isAway === range.to < bars.length - 1) return
    isAway = !isAway
    onAway(isAway)
  }
  chart.timeScale().subscribeVisibleLogicalRangeChange(onRange)

  function setFuture(): void {
    const last = bars.at(-1)
    if (!last) {
      future.setData([])
      return
    }
    const { intervalMs } = picture
    const ends = marks.filter((mark) => !mark.settled).map((mark) => mark.endMs + intervalMs * 3)
    const until = Math.max(last.time + FUTURE.least * intervalMs, ...ends)
    future.setData(futureTimes(last.time, intervalMs, until, FUTURE.most).map((time) => ({ time: seconds(time) })))
  }

  /** Whether the space on the right is wider than normal, for open trades. */
  let isWidened = false

  /** Fits the space on the right to the open trades, unless the trader is looking at older bars. */
  function fitRoom(): void {
    const last = bars.at(-1)
    const scale = chart.timeScale()
    const range = scale.getVisibleLogicalRange()
    if (!last || !range) return
    const room = range.to - (bars.length - 1)
    if (room < 0) return
    const ends = marks.filter((mark) => !mark.settled).map((mark) => mark.endMs)
    const wanted = roomFor(ends, {
      lastMs: last.time,
      intervalMs: picture.intervalMs,
      bars: range.to - range.from,
      barPx: scale.options().barSpacing,
    })
    if (wanted > room || (isWidened && wanted < room)) scale.scrollToPosition(wanted, !isStill)
    isWidened = wanted > NORMAL_ROOM
  }

  let isRemoved = false
  // The range of the new size is known only after it was drawn.
  let resized = 0
  chart.timeScale().subscribeSizeChange(() => {
    cancelAnimationFrame(resized)
    resized = requestAnimationFrame(fitRoom)
  })

  function dataOf(bar: Bar) {
    const { beginning } = picture
    const isHistory = beginning?.before !== undefined && bar.time < beginning.ms
    const time = seconds(bar.time)
    if (picture.kind === 'line') {
      return isHistory
        ? {
            time,
            value: bar.close,
            lineColor: fade(colours.accent, 0.5),
            topColor: fade(colours.accent, 0.08),
            bottomColor: fade(colours.accent, 0),
          }
        : { time, value: bar.close }
    }
    const { open, high, low, close } = bar
    if (!isHistory) return { time, open, high, low, close }
    const colour = fade(close >= open ? colours.up : colours.down, 0.5)
    return { time, open, high, low, close, color: colour, wickColor: colour, borderColor: colour }
  }

  return {
    /** Shows other bars. `stay` keeps the view where it is (older bars were added, or the same ones reloaded). */
    show(next: Picture, stay: boolean): void {
      const isOtherSeries = next.kind !== picture.kind || next.scale !== picture.scale
      picture = next
      bars = [...next.bars]
      if (isOtherSeries) {
        series.detachPrimitive(drawn)
        chart.removeSeries(series)
        series = addSeries(chart, picture, colours)
        series.attachPrimitive(drawn)
      }
      series.setData(bars.map(dataOf))
      drawn.set({ beginning: picture.beginning, latest: bars.at(-1) })
      setFuture()
      chart.applyOptions({ timeScale: { secondsVisible: picture.intervalMs < 60_000 } })
      if (!stay) {
        series.priceScale().applyOptions({ autoScale: true })
        chart.timeScale().applyOptions({ barSpacing: box.clientWidth < NARROW_PX ? 6 : 8 })
        chart.timeScale().scrollToPosition(NORMAL_ROOM, false)
        fitRoom()
      }
    },
    /** Updates the newest bar, or appends the next one. */
    update(bar: Bar): void {
      const last = bars.at(-1)
      if (last && bar.time < last.time) return
      const isNext = !last || bar.time > last.time
      if (isNext) bars.push(bar)
      else bars[bars.length - 1] = bar
      series.update(dataOf(bar))
      drawn.set({ latest: bar })
      if (isNext) setFuture()
    },
    setMarks(next: readonly Mark[]): void {
      if (isRemoved) return
      const open = (list: readonly Mark[]) =>
        list
          .filter((mark) => !mark.settled)
          .map((mark) => mark.id)
          .join()
      const isOther = open(next) !== open(marks)
      marks = next
      drawn.set({ marks })
      if (!isOther) return
      setFuture()
      fitRoom()
    },
    setHighlit: (highlit: readonly string[]): void => drawn.set({ highlit }),
    setLook(next: Look): void {
      colours = next
      chart.applyOptions(chartLook(colours, box.clientWidth))
      series.applyOptions(seriesLook(picture, colours))
      series.setData(bars.map(dataOf))
      drawn.set({ look: colours })
    },
    /** Moves the view to a time, unless it's in view. Returns whether its bar is loaded; if not, older ones follow. */
    goTo(timeMs: number): boolean {
      const place = placeOf(bars, picture.intervalMs, timeMs)
      const scale = chart.timeScale()
      const range = scale.getVisibleLogicalRange()
      if (place === undefined || !range) return false
      if (place < range.from || place > range.to) {
        const width = range.to - range.from
        const from = Math.max(0, place - width / 3)
        scale.setVisibleLogicalRange({ from, to: from + width })
      }
      return place >= 0
    },
    /** Scrolls back to the newest bar. */
    toNewest(): void {
      chart.timeScale().scrollToPosition(NORMAL_ROOM, !isStill)
      fitRoom()
    },
    remove(): void {
      isRemoved = true
      cancelAnimationFrame(resized)
      chart.remove()
    },
  }
}

const seconds = (timeMs: number): UTCTimestamp => (timeMs / 1_000) as UTCTimestamp

function addSeries(chart: IChartApi, picture: Picture, look: Look): ISeriesApi<'Candlestick'> | ISeriesApi<'Area'> {
  const options = seriesLook(picture, look)
  return picture.kind === 'line' ? chart.addSeries(AreaSeries, options) : chart.addSeries(CandlestickSeries, options)
}

const seriesLook = ({ scale }: Picture, look: Look) => ({
  upColor: look.up,
  borderUpColor: look.up,
  wickUpColor: look.up,
  downColor: look.down,
  borderDownColor: look.down,
  wickDownColor: look.down,
  lineColor: look.accent,
  topColor: fade(look.accent, 0.22),
  bottomColor: fade(look.accent, 0),
  lineWidth: 2 as const,
  // The library would label the last price in view; the label of the newest price is drawn with the marks.
  lastValueVisible: false,
  priceLineColor: look.strong,
  priceLineStyle: LineStyle.SparseDotted,
  priceFormat: {
    type: 'custom' as const,
    minMove: 10 ** -scale,
    formatter: (price: number) => formatPrice(price, scale),
  },
})

const chartLook = (look: Look, widthPx: number) => ({
  layout: {
    background: { type: ColorType.Solid as const, color: look.background },
    textColor: look.text,
    fontFamily: '"Inter Variable", system-ui, sans-serif',
    fontSize: widthPx < NARROW_PX ? 10 : 11,
    attributionLogo: false,
  },
  crosshair: {
    mode: CrosshairMode.Normal,
    vertLine: { color: fade(look.text, 0.6), labelBackgroundColor: look.line },
    horzLine: { color: fade(look.text, 0.6), labelBackgroundColor: look.line },
  },
  grid: { vertLines: { color: fade(look.line, 0.45) }, horzLines: { color: fade(look.line, 0.45) } },
})

/** Formats the time axis in local time. */
function tickText(timeMs: number, kind: TickMarkType): string {
  if (kind === TickMarkType.TimeWithSeconds) return formatTime(timeMs)
  if (kind === TickMarkType.Time) return formatTime(timeMs).slice(0, 5)
  return kind === TickMarkType.DayOfMonth ? formatDate(timeMs).slice(5) : formatDate(timeMs).slice(0, 7)
}
