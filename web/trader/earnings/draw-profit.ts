import { AreaSeries, ColorType, createChart, type UTCTimestamp } from 'lightweight-charts'
import { formatDate, formatUsd } from '#web/ui/index.ts'
import type { ProfitPoint } from './profit-line.ts'

/** Draws the line into `box` in the current theme's colours. Returns a function that removes it. */
export function drawProfit(box: HTMLElement, points: readonly ProfitPoint[]): () => void {
  const colour = colourReader(box)
  const up = colour('--up')
  const line = colour('--line')
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
      tickMarkFormatter: (time: number) => formatDate(time * 1_000).slice(5),
    },
    localization: { timeFormatter: (time: number) => formatDate(time * 1_000) },
    // The chart is static, so scrolling moves the page.
    handleScroll: false,
    handleScale: false,
  })
  const series = chart.addSeries(AreaSeries, {
    lineColor: up,
    topColor: up.replace('rgb(', 'rgba(').replace(')', ', 0.25)'),
    bottomColor: up.replace('rgb(', 'rgba(').replace(')', ', 0)'),
    lineWidth: 2,
    priceLineVisible: false,
    priceFormat: { type: 'custom', minMove: 0.01, formatter: formatUsd },
  })
  series.setData(points.map(({ time, value }) => ({ time: time as UTCTimestamp, value })))
  chart.timeScale().fitContent()
  return () => chart.remove()
}

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
