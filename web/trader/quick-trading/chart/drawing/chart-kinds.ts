import {
  AreaSeries,
  BarSeries,
  CandlestickSeries,
  type IChartApi,
  type ISeriesApi,
  LineSeries,
} from 'lightweight-charts'
import type { ChartKind } from '#contract/trading/chart-terms.ts'
import type { Bar } from '../candles.ts'
import { seriesLook } from './chart-options.ts'
import { fade, type Look } from './look.ts'

/** The series that shows the prices. */
export type PriceSeries = ISeriesApi<'Candlestick'> | ISeriesApi<'Bar'> | ISeriesApi<'Line'> | ISeriesApi<'Area'>

export function addPrices(chart: IChartApi, kind: ChartKind, scale: number, look: Look): PriceSeries {
  // The close of a Heikin Ashi candle is no price.
  const options = { ...seriesLook(scale, look), priceLineVisible: kind !== 'heikin' }
  if (kind === 'line') return chart.addSeries(LineSeries, { ...options, color: look.accent })
  if (kind === 'area') return chart.addSeries(AreaSeries, options)
  if (kind === 'bars') return chart.addSeries(BarSeries, { ...options, thinBars: true })
  return chart.addSeries(CandlestickSeries, options)
}

/** Returns what the series shows of a bar, without its time. History that isn't of the tape is pale. */
export function pointOf(kind: ChartKind, bar: Bar, before: Bar | undefined, isHistory: boolean, look: Look) {
  const { open, high, low, close } = bar
  const { accent } = look
  const strength = isHistory ? 0.5 : 1
  if (kind === 'line') return { value: close, ...(isHistory && { color: fade(accent, 0.5) }) }
  if (kind === 'area') {
    const pale = { lineColor: fade(accent, 0.5), topColor: fade(accent, 0.08), bottomColor: fade(accent, 0) }
    return { value: close, ...(isHistory && pale) }
  }
  const prices = { open, high, low, close }
  if (kind === 'hollow') {
    // Its colour says where the close went since the close before, its body where it went since the open.
    const colour = fade(close >= (before?.close ?? open) ? look.up : look.down, strength)
    const body = close >= open ? look.background : colour
    return { ...prices, color: body, wickColor: colour, borderColor: colour }
  }
  if (!isHistory) return prices
  const colour = fade(close >= open ? look.up : look.down, strength)
  return { ...prices, color: colour, wickColor: colour, borderColor: colour }
}
