import { BaselineSeries, ColorType, createChart, type UTCTimestamp } from 'lightweight-charts'
import { formatDate, formatDateTime, formatTime, formatUsdSigned } from '../format.ts'

export interface CurvePoint {
  /** Unix seconds, ascending and unique. */
  time: number
  /** US dollars. */
  value: number
}

const HOUR_SECONDS = 3_600
const DAY_SECONDS = 24 * HOUR_SECONDS

/** Draws the line into `box`, above and below zero, in the current theme's colours. Returns a function that removes it. */
export function drawCurve(box: HTMLElement, points: readonly CurvePoint[]): () => void {
  const colour = colourReader(box)
  const up = colour('--up')
  const down = colour('--down')
  const line = colour('--line')
  const span = (points.at(-1)?.time ?? 0) - (points[0]?.time ?? 0)
  const chart = createChart(box, {
    autoSize: true,
    layout: {
      background: { type: ColorType.Solid, color: colour('--surface') },
      textColor: colour('--text-3'),
      fontFamily: '"Inter Variable", system-ui, sans-serif',
      fontSize: 11,
      attributionLogo: false,
    },
    grid: { vertLines: { visible: false }, horzLines: { color: line } },
    rightPriceScale: { borderVisible: false },
    timeScale: {
      borderColor: line,
      // Shows the whole line, however narrow the screen.
      minBarSpacing: 0.01,
      lockVisibleTimeRangeOnResize: true,
      tickMarkFormatter: (time: number) => tickText(time * 1_000, span),
    },
    localization: { timeFormatter: (time: number) => formatDateTime(time * 1_000) },
    // The chart is static, so scrolling moves the page.
    handleScroll: false,
    handleScale: false,
  })
  const series = chart.addSeries(BaselineSeries, {
    baseValue: { type: 'price', price: 0 },
    topLineColor: up,
    topFillColor1: faded(up, 0.25),
    topFillColor2: faded(up, 0),
    bottomLineColor: down,
    bottomFillColor1: faded(down, 0),
    bottomFillColor2: faded(down, 0.25),
    lineWidth: 2,
    priceLineVisible: false,
    priceFormat: { type: 'custom', minMove: 0.01, formatter: formatUsdSigned },
  })
  series.setData(points.map(({ time, value }) => ({ time: time as UTCTimestamp, value })))
  chart.timeScale().fitContent()
  return () => chart.remove()
}

/** With seconds for less than an hour, so that neighbouring marks differ; without a time from two days on. */
function tickText(timeMs: number, span: number): string {
  if (span < HOUR_SECONDS) return formatTime(timeMs)
  return span < 2 * DAY_SECONDS ? formatTime(timeMs).slice(0, 5) : formatDate(timeMs).slice(5)
}

const faded = (rgb: string, alpha: number): string => rgb.replace('rgb(', 'rgba(').replace(')', `, ${alpha})`)

/** Reads tokens as `rgb()` strings, since a canvas can't resolve them. */
function colourReader(element: HTMLElement): (token: string) => string {
  return (token) => {
    const probe = document.createElement('i')
    probe.hidden = true
    probe.style.color = `var(${token})`
    element.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }
}
