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
import { TradeMarks } from './draw-marks.ts'
import { fade, type Look } from './look.ts'
import type { Mark } from './marks.ts'

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
/** Free space on the right, in bars, and its maximum share of the width. */
const ROOM = { least: 8, mostShare: 0.55 }
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
}

/** Draws the chart into `box` and keeps its size. The only module that uses the chart library. */
export function drawChart(box: HTMLElement, look: Look, { onNeedOlder, onAway }: ChartEvents) {
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
      rightOffset: ROOM.least,
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
    look: colours,
    placeOf: (timeMs) => placeOf(bars, picture.intervalMs, timeMs),
    priceText: (price) => formatPrice(price, picture.scale),
    beginning: undefined,
    latest: undefined,
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

  /** Makes room on the right for trade ends that would be out of view, unless the trader is looking at older bars. */
  function makeRoom(): void {
    const last = bars.at(-1)
    const scale = chart.timeScale()
    const range = scale.getVisibleLogicalRange()
    if (!last || !range) return
    const newest = bars.length - 1
    if (range.to < newest) return
    const needed = marks
      .filter((mark) => !mark.settled)
      .map((mark) => Math.ceil((mark.endMs - last.time) / picture.intervalMs) + 1)
    const most = (range.to - range.from) * ROOM.mostShare
    const toEnd = Math.max(0, ...needed.filter((count) => count <= most))
    // The label goes to the right of the end, if there is room for it too.
    const wanted = toEnd === 0 ? 0 : Math.min(most, toEnd + labelBars(scale.options().barSpacing))
    const room = range.to - newest
    if (wanted > room) scale.scrollToPosition(wanted, !isStill)
  }

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
      drawn.set({ beginning: picture.beginning, latest: bars.at(-1)?.close })
      setFuture()
      chart.applyOptions({ timeScale: { secondsVisible: picture.intervalMs < 60_000 } })
      if (!stay) {
        series.priceScale().applyOptions({ autoScale: true })
        chart.timeScale().applyOptions({ barSpacing: box.clientWidth < NARROW_PX ? 6 : 8 })
        chart.timeScale().scrollToPosition(ROOM.least, false)
        makeRoom()
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
      drawn.set({ latest: bar.close })
      if (isNext) setFuture()
    },
    setMarks(next: readonly Mark[]): void {
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
      makeRoom()
    },
    setLook(next: Look): void {
      colours = next
      chart.applyOptions(chartLook(colours, box.clientWidth))
      series.applyOptions(seriesLook(picture, colours))
      series.setData(bars.map(dataOf))
      drawn.set({ look: colours })
    },
    /** Scrolls back to the newest bar. */
    toNewest(): void {
      chart.timeScale().scrollToPosition(ROOM.least, !isStill)
      makeRoom()
    },
    remove: (): void => chart.remove(),
  }
}

const seconds = (timeMs: number): UTCTimestamp => (timeMs / 1_000) as UTCTimestamp

/** Returns the width of a label to the right of an end, in bars. */
const labelBars = (barSpacing: number): number => Math.ceil(150 / barSpacing)

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
