import type { Dashboard, Panel, Range, Series } from './dashboard-queries.ts'
import { axisTicks, formatValue } from './units.ts'

/** Returns the dashboard as one HTML page with SVG charts, laid out and coloured like Grafana's dark theme. */
export function dashboardPage(dashboard: Dashboard, series: Map<number, Series[]>, range: Range, font = ''): string {
  const rows = Math.max(...dashboard.panels.map(({ gridPos }) => gridPos.y + gridPos.h))
  const panels = dashboard.panels.map((panel) => {
    const { x, y, w, h } = panel.gridPos
    const area = `grid-area:${y + 1}/${x + 1}/span ${h}/span ${w}`
    return `<section class="${panel.type}" style="${area}">${contentOf(panel, series.get(panel.id) ?? [], range)}</section>`
  })
  const day = (at: number) => new Date(at * 1_000).toISOString().slice(0, 10)
  const period = `${day(range.from)} ${clock(range.from)} – ${day(range.from) === day(range.to) ? '' : `${day(range.to)} `}${clock(range.to)} UTC`
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeHtml(dashboard.title)}</title>
<style>${font}${STYLE}</style>
<header><h1>${escapeHtml(dashboard.title)}</h1><span>${period}</span></header>
<main style="grid-template-rows:repeat(${rows},${CELL_PX}px)">${panels.join('\n')}</main>
<footer>Drawn by deploy/monitoring/picture.ts from the dashboard’s queries to Prometheus. This is not a screenshot of Grafana.</footer>
</html>`
}

export const PAGE_PX = 1600
const EDGE_PX = 16
/** The height of a grid cell and the gap, as in Grafana. */
const CELL_PX = 30
const GAP_PX = 8
const COLUMNS = 24
const HEADER_PX = 34
const PADDING_PX = 8
const LEGEND_LINE_PX = 20
const AXIS_PX = 20
/** An upper bound for the average width of Inter's characters at 12 px. */
const CHARACTER_PX = 6.6

/** Returns the width of a panel's content. */
export function widthOf({ gridPos: { w } }: Panel): number {
  const cell = (PAGE_PX - 2 * EDGE_PX - (COLUMNS - 1) * GAP_PX) / COLUMNS
  return Math.floor(w * cell + (w - 1) * GAP_PX - 2 * PADDING_PX - 2)
}

const heightOf = ({ gridPos: { h } }: Panel): number => h * CELL_PX + (h - 1) * GAP_PX - HEADER_PX - PADDING_PX - 2

function contentOf(panel: Panel, series: Series[], range: Range): string {
  const about = panel.description ? `<i title="${escapeHtml(panel.description)}">i</i>` : ''
  const title = `<h2>${escapeHtml(panel.title)}${about}</h2>`
  switch (panel.type) {
    case 'row':
      return title
    case 'stat':
      return title + stat(panel, series)
    case 'timeseries':
      return title + (series.length > 0 ? chart(panel, series, range) : '<p class="none">No data</p>')
    default:
      throw new Error(`The picture can't show a panel of the type ${panel.type}: ${panel.title}.`)
  }
}

/** A darker and a lighter colour each: a stat's background is a gradient between them. */
const BACKGROUNDS: Record<string, [string, string]> = {
  green: ['#2b6e24', '#37872d'],
  orange: ['#a8500c', '#c8681d'],
  red: ['#a3142a', '#c4162a'],
}

function stat(panel: Panel, series: Series[]): string {
  const value = series[0]?.points.findLast(([, one]) => one !== null)?.[1]
  if (typeof value !== 'number') return '<p class="none">No data</p>'
  const { unit = 'none', thresholds } = panel.fieldConfig!.defaults
  const background = BACKGROUNDS[colorOf(value, thresholds?.steps ?? [])]
  const style = background ? ` style="background:linear-gradient(120deg,${background.join(',')})"` : ''
  return `<p class="value"${style}>${escapeHtml(formatValue(value, unit))}</p>`
}

/** Returns the colour of the highest threshold that the value has reached. */
export function colorOf(value: number, steps: { color: string; value: number | null }[]): string {
  return steps.findLast((step) => step.value === null || value >= step.value)?.color ?? 'none'
}

const COLORS = [
  '#73bf69',
  '#f2cc0c',
  '#8ab8ff',
  '#ff780a',
  '#f2495c',
  '#5794f2',
  '#b877d9',
  '#1fb8a6',
  '#c8f2c2',
  '#ffb357',
  '#c0d8ff',
  '#ff7383',
  '#ca95e5',
  '#e0b400',
  '#3274d9',
  '#a352cc',
]
const colorAt = (at: number) => COLORS[at % COLORS.length]!

function chart(panel: Panel, series: Series[], range: Range): string {
  const { unit = 'none', min = 0, custom = {} } = panel.fieldConfig?.defaults ?? {}
  const [width, height] = [widthOf(panel), heightOf(panel)]
  const legend = legendLines(
    series.map(({ name }) => name),
    width,
  )
  const plotHeight = height - legend * LEGEND_LINE_PX - AXIS_PX - 6
  const isStacked = custom.stacking?.mode === 'normal'
  const lines = isStacked ? stack(series) : series.map(({ points }) => ({ points, floor: undefined }))
  const values = lines.flatMap(({ points }) => points.flatMap(([, value]) => (value === null ? [] : [value])))
  const ticks = axisTicks(min, Math.max(min, ...values), unit, Math.max(2, Math.floor(plotHeight / 32)))
  const labels = ticks.map((tick) => formatValue(tick, unit))
  const left = Math.ceil(Math.max(...labels.map((label) => label.length)) * CHARACTER_PX) + 10
  const [bottom, top] = [ticks[0]!, ticks.at(-1)!]
  const x = (at: number) => round(left + ((at - range.from) / (range.to - range.from)) * (width - left - 6))
  const y = (value: number) => round(8 + (1 - (value - bottom) / (top - bottom)) * (plotHeight - 8))
  const grid = ticks.map(
    (tick, at) =>
      `<path class="grid" d="M${left} ${y(tick)}H${width - 6}"/><text x="${left - 8}" y="${y(tick) + 4}" text-anchor="end">${labels[at]}</text>`,
  )
  const times = timeTicks(range, Math.floor((width - left) / 48)).map(
    (at) =>
      `<path class="grid" d="M${x(at)} 8V${plotHeight}"/><text x="${x(at)}" y="${plotHeight + 16}" text-anchor="middle">${clock(at)}</text>`,
  )
  const shapes = lines.map(({ points, floor }, index) => {
    const color = colorAt(index)
    const runs = runsOf(
      points.map(([at, value]): [number, number] | undefined =>
        value !== null && at >= range.from ? [at, value] : undefined,
      ),
    )
    return runs
      .map((run) => {
        const line = run.map(([at, value]) => `${x(at)} ${y(value)}`).join('L')
        const back = run.toReversed().map(([at]) => `${x(at)} ${y(floor?.get(at) ?? bottom)}`)
        const opacity = (custom.fillOpacity ?? 0) / 100
        const dot =
          run.length === 1 ? `<circle cx="${x(run[0]![0])}" cy="${y(run[0]![1])}" r="2" fill="${color}"/>` : ''
        return `<path d="M${line}L${back.join('L')}Z" fill="${color}" fill-opacity="${opacity}"/><path class="line" d="M${line}" stroke="${color}" stroke-width="${1.25 * (custom.lineWidth ?? 1)}"/>${dot}`
      })
      .join('')
  })
  const names = series.map(({ name }, at) => `<li><b style="background:${colorAt(at)}"></b>${escapeHtml(name)}</li>`)
  return `<svg width="${width}" height="${plotHeight + AXIS_PX}">${grid.join('')}${times.join('')}${shapes.join('')}</svg><ul>${names.join('')}</ul>`
}

/** Stacks each series on the ones before it. A missing value counts as zero. */
function stack(series: Series[]): { points: Series['points']; floor: Map<number, number> }[] {
  const sums = new Map<number, number>()
  return series.map(({ points }) => {
    const floor = new Map(sums)
    for (const [at, value] of points) sums.set(at, (sums.get(at) ?? 0) + (value ?? 0))
    return { points: points.map(([at, value]) => [at, value === null ? null : sums.get(at)!]), floor }
  })
}

/** Splits points into runs at the missing ones. */
export function runsOf<P>(points: (P | undefined)[]): P[][] {
  const runs: P[][] = [[]]
  for (const point of points)
    if (point !== undefined) runs.at(-1)!.push(point)
    else if (runs.at(-1)!.length > 0) runs.push([])
  return runs.filter((run) => run.length > 0)
}

/** Returns an upper bound for the number of lines that a legend's names take. */
export function legendLines(names: string[], width: number): number {
  let [lines, used] = [1, 0]
  for (const name of names) {
    const needed = 32 + name.length * CHARACTER_PX
    if (used > 0 && used + needed > width) [lines, used] = [lines + 1, 0]
    used += needed
  }
  return lines
}

const TIME_STEPS = [60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400]

function timeTicks({ from, to }: Range, most: number): number[] {
  const step = TIME_STEPS.find((candidate) => (to - from) / candidate <= Math.max(most, 2)) ?? TIME_STEPS.at(-1)!
  const first = Math.ceil(from / step) * step
  const all = Array.from({ length: Math.floor((to - first) / step) + 1 }, (_, at) => first + at * step)
  // A label at the edge would be cut off.
  return all.filter((at) => at - from > (to - from) * 0.03 && to - at > (to - from) * 0.03)
}

const clock = (at: number) => new Date(at * 1_000).toISOString().slice(11, 16)
const round = (pixels: number) => Math.round(pixels * 10) / 10
const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const STYLE = `
* { box-sizing: border-box; margin: 0; padding: 0 }
body { width: ${PAGE_PX}px; padding: ${EDGE_PX}px; background: #111217; color: #ccccdc; font: 12px/1.3 Inter, sans-serif }
header { display: flex; justify-content: space-between; align-items: center; padding: 0 4px 14px }
header span, footer { color: #8e8e9c }
h1 { font-size: 18px; font-weight: 500 }
main { display: grid; grid-template-columns: repeat(${COLUMNS}, 1fr); gap: ${GAP_PX}px }
section { min-width: 0; padding: 0 ${PADDING_PX}px ${PADDING_PX}px; background: #181b1f; border: 1px solid #25272c; border-radius: 2px; overflow: hidden }
section.row { background: none; border: 0; display: flex; align-items: center; padding: 0 4px }
section.row h2 { height: 100%; font-size: 16px }
section.row h2::before { content: ''; display: inline-block; margin: 0 10px 3px 2px; border-right: 2px solid; border-bottom: 2px solid; width: 7px; height: 7px; transform: rotate(45deg) }
h2 { display: flex; align-items: center; gap: 6px; height: ${HEADER_PX}px; font-size: 14px; font-weight: 500; white-space: nowrap }
h2 i { width: 14px; height: 14px; border: 1px solid #8e8e9c; border-radius: 7px; color: #8e8e9c; font: 600 9px/12px Inter, sans-serif; text-align: center }
.none { display: grid; place-items: center; height: calc(100% - ${HEADER_PX}px); color: #8e8e9c; font-size: 14px }
.value { display: grid; place-items: center; height: calc(100% - ${HEADER_PX}px); border-radius: 2px; color: #fff; font-size: 40px; font-weight: 500 }
svg { display: block }
text { fill: #a3a3b0; font-size: 12px }
.grid { stroke: #25282e; fill: none; shape-rendering: crispEdges }
.line { fill: none; stroke-linejoin: round }
ul { display: flex; flex-wrap: wrap; list-style: none; padding: 4px 0 0 4px }
li { display: flex; align-items: center; gap: 6px; height: ${LEGEND_LINE_PX}px; padding-right: 12px; white-space: nowrap }
li b { width: 14px; height: 4px; border-radius: 2px }
footer { padding: 14px 4px 0 }
`
