import {
  AreaSeries,
  ColorType,
  CrosshairMode,
  type IChartApi,
  type ISeriesApi,
  LineStyle,
  TickMarkType,
  type Time,
} from 'lightweight-charts'
import { formatDate, formatDateTime, formatPrice, formatTime } from '#web/ui/index.ts'
import { NORMAL_ROOM } from '../labels/room.ts'
import { fade, type Look } from './look.ts'

/** A narrower box is a phone's. */
const NARROW_PX = 500

/** Pixels from bar to bar in a box of this width, when the chart opens. */
export const barSpacingOf = (widthPx: number): number => (widthPx < NARROW_PX ? 6 : 8)

export const chartOptions = (look: Look, widthPx: number) => ({
  autoSize: true,
  ...chartLook(look, widthPx),
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

/** An invisible series that continues the time axis into the future. */
export function addFuture(chart: IChartApi): ISeriesApi<'Area'> {
  return chart.addSeries(AreaSeries, {
    // A separate scale: the first series on a scale decides the format of its prices.
    priceScaleId: 'future',
    lineVisible: false,
    lastValueVisible: false,
    priceLineVisible: false,
    crosshairMarkerVisible: false,
  })
}

export const seriesLook = (scale: number, look: Look) => ({
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

export const chartLook = (look: Look, widthPx: number) => ({
  layout: {
    background: { type: ColorType.Solid as const, color: look.background },
    textColor: look.text,
    fontFamily: '"Inter Variable", system-ui, sans-serif',
    fontSize: widthPx < NARROW_PX ? 10 : 11,
    attributionLogo: false,
    panes: { separatorColor: look.line, separatorHoverColor: fade(look.accent, 0.3), enableResize: true },
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
