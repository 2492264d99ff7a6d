import {
  type AutoscaleInfo,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  LineSeries,
  LineStyle,
  LineType,
  type UTCTimestamp,
} from 'lightweight-charts'
import type { ChartIndicator } from '#contract/trading/chart.ts'
import type { ChartColour } from '#contract/trading/chart-terms.ts'
import { type Indicator, indicatorOf, type Values } from '#kernel/indicators/list.ts'
import type { Series } from '#kernel/indicators/series.ts'
import { formatPrice } from '#web/ui/index.ts'
import type { Bar } from '../candles.ts'
import { PaneLabel } from '../labels/pane-label.ts'
import { type LegendLine, useLegend } from '../legend/legend-store.ts'
import { type Layer, type Picture, seconds } from './draw-chart.ts'
import { fade, type Look } from './look.ts'
import { shadeOf } from './palette.ts'

type Line = ISeriesApi<'Line'> | ISeriesApi<'Histogram'>
/**
 * One line of an indicator, in two series: the library reads a series as a whole whenever its newest point changes, so the
 * long past is apart from the end that changes with each price.
 */
interface Drawn {
  past: Line
  end: Line
}
type Output = Indicator['outputs'][number]

/** An indicator on the chart, with what it needs for the next candle. */
interface Shown {
  chosen: ChartIndicator
  known: Indicator
  series: Series<Bar, Values>
  values: (Values | undefined)[]
  lines: Drawn[]
  /** The bar with which the ends begin. */
  endsFrom: number
  pane: number
  label: PaneLabel | undefined
}

/** The height of the prices, and of a pane below them, as shares. */
/** Bars in the ends: as many after all bars were set, at most twice as many later. */
const END = 500
const STRETCH = { prices: 3, pane: 1 }

const indicatorTitle = ({ short }: Indicator, inputs: readonly number[]): string =>
  [short, ...(inputs.length > 0 ? [inputs.join(', ')] : [])].join(' ')

/** Draws the indicators: over the prices, or in panes below them. Values are those of the kernel, as strategies see them. */
export class IndicatorLayer implements Layer {
  readonly #chart: IChartApi
  #look: Look
  #shown: Shown[] = []
  #picture: Picture | undefined
  #bars: readonly Bar[] = []

  constructor(chart: IChartApi, look: Look) {
    this.#chart = chart
    this.#look = look
  }

  /** Shows other indicators, or the same ones in another way. */
  set(chosen: readonly ChartIndicator[]): void {
    this.#clear()
    let panes = 0
    this.#shown = chosen.flatMap((one) => {
      const known = indicatorOf(one.indicator)
      if (!known || one.hidden) return []
      if (one.pane) panes++
      return [this.#show(one, known, one.pane ? panes : 0)]
    })
    this.#fill()
  }

  attach(): void {}

  setBars(picture: Picture, bars: readonly Bar[], only: 'all' | 'newest' | 'next'): void {
    const isOtherScale = picture.scale !== this.#picture?.scale
    this.#picture = picture
    this.#bars = bars
    if (only === 'all') {
      if (isOtherScale) this.set(this.#shown.map(({ chosen }) => chosen))
      else this.#fill()
      return
    }
    if (this.#shown.some(({ endsFrom }) => bars.length - endsFrom > END * 2)) {
      this.#fill()
      return
    }
    const newest = bars.at(-1)
    if (!newest) return
    for (const shown of this.#shown) {
      const values = shown.series(newest, only === 'newest')
      shown.values[bars.length - 1] = values
      for (const [at, output] of shown.known.outputs.entries()) {
        const ends = values?.[output.key] === undefined && shown.values[bars.length - 2]?.[output.key] !== undefined
        if (ends) shown.lines[at]?.end.update(this.#pointOf(shown, output, at, bars.length - 2) as never, true)
        shown.lines[at]?.end.update(this.#pointOf(shown, output, at, bars.length - 1) as never)
      }
    }
  }

  setLook(look: Look): void {
    this.#look = look
    this.set(this.#shown.map(({ chosen }) => chosen))
  }

  point(index: number): void {
    const lines = this.#shown.map((shown, id) => ({ shown, line: this.#legendOf(shown, id, index) }))
    for (const { shown, line } of lines) shown.label?.set(line, this.#look)
    useLegend.setState({ lines: lines.flatMap(({ shown, line }) => (shown.pane === 0 ? [line] : [])) })
  }

  remove(): void {
    this.#clear()
  }

  #clear(): void {
    for (const { past, end } of this.#shown.flatMap(({ lines }) => lines)) {
      this.#chart.removeSeries(past)
      this.#chart.removeSeries(end)
    }
    this.#shown = []
  }

  #show(chosen: ChartIndicator, known: Indicator, pane: number): Shown {
    const lines = known.outputs.map((output, at) => {
      const add = () => this.#addLine(known, output, chosen.colours[at] ?? 'blue', pane)
      return { past: add(), end: add() }
    })
    for (const value of known.guides ?? [])
      lines[0]?.end.createPriceLine({
        price: value,
        color: fade(this.#look.text, 0.5),
        lineStyle: LineStyle.Dotted,
        lineWidth: 1,
        axisLabelVisible: false,
      })
    const panes = this.#chart.panes()
    panes[0]?.setStretchFactor(STRETCH.prices)
    let label: PaneLabel | undefined
    if (pane > 0) {
      label = new PaneLabel()
      lines[0]?.end.attachPrimitive(label)
      panes[pane]?.setStretchFactor(STRETCH.pane)
    }
    return { chosen, known, series: known.start(chosen.inputs), values: [], lines, endsFrom: 0, pane, label }
  }

  #addLine(known: Indicator, output: Output, colour: ChartColour, pane: number): Line {
    const scale = this.#picture?.scale ?? 2
    const shared = {
      lastValueVisible: false,
      priceLineVisible: false,
      priceFormat: {
        type: 'custom' as const,
        minMove: known.inPrice ? 10 ** -scale : 0.01,
        formatter: (value: number) => textOf(known, value, scale),
      },
      // The prices decide the height of their pane; lines far away leave it.
      ...(pane === 0 && { autoscaleInfoProvider: (): AutoscaleInfo | null => null }),
    }
    const color = shadeOf(colour, this.#look)
    if (output.as === 'histogram') return this.#chart.addSeries(HistogramSeries, { ...shared, color }, pane)
    const isDots = output.as === 'dots'
    return this.#chart.addSeries(
      LineSeries,
      {
        ...shared,
        color,
        lineWidth: 1,
        lineVisible: !isDots,
        pointMarkersVisible: isDots,
        pointMarkersRadius: 2,
        crosshairMarkerVisible: false,
        lineType: output.as === 'steps' ? LineType.WithSteps : LineType.Simple,
      },
      pane,
    )
  }

  /** Computes everything from the first bar on. */
  #fill(): void {
    const endsFrom = Math.max(0, this.#bars.length - END)
    for (const shown of this.#shown) {
      shown.endsFrom = endsFrom
      shown.series = shown.known.start(shown.chosen.inputs)
      shown.values = this.#bars.map((bar) => shown.series(bar))
      for (const [at, output] of shown.known.outputs.entries()) {
        const points = (from: number, to: number) =>
          this.#bars.slice(from, to).flatMap((_, index) => this.#pointOf(shown, output, at, from + index) ?? [])
        // Both have the bar between them, so that the line is whole.
        shown.lines[at]?.past.setData(points(0, endsFrom === 0 ? 0 : endsFrom + 1) as never)
        shown.lines[at]?.end.setData(points(endsFrom, this.#bars.length) as never)
      }
    }
    this.point(this.#bars.length - 1)
  }

  /** What a line shows of a bar; undefined where it's drawn before the first one. */
  #pointOf({ chosen, values }: Shown, { key, as, shift }: Output, at: number, index: number) {
    const timeMs = this.#timeOf(index + (shift?.(chosen.inputs) ?? 0))
    if (timeMs === undefined) return undefined
    const time: UTCTimestamp = seconds(timeMs)
    const value = values[index]?.[key]
    if (value === undefined) return { time }
    const [before, after] = [values[index - 1]?.[key], values[index + 1]]
    const color = shadeOf(chosen.colours[at] ?? 'blue', this.#look)
    if (as === 'histogram')
      return { time, value, color: fade(color, before !== undefined && value < before ? 0.5 : 0.9) }
    // A line that ends here isn't joined to where it begins again.
    const isGap = as === 'line' && after !== undefined && after[key] === undefined
    return { time, value, ...(isGap && { color: 'transparent' }) }
  }

  /** The time of a bar, of one after the newest, or undefined before the first. */
  #timeOf(index: number): number | undefined {
    const last = this.#bars.at(-1)
    if (index < this.#bars.length || !last) return this.#bars[index]?.time
    return last.time + (index - this.#bars.length + 1) * (this.#picture?.intervalMs ?? 0)
  }

  #legendOf({ chosen, known, values }: Shown, id: number, index: number): LegendLine {
    const scale = this.#picture?.scale ?? 2
    return {
      id: `${id}`,
      name: indicatorTitle(known, chosen.inputs),
      values: known.outputs.flatMap(({ key }, at) => {
        const value = values[index]?.[key]
        if (value === undefined) return []
        return [{ text: textOf(known, value, scale), colour: shadeOf(chosen.colours[at] ?? 'blue', this.#look) }]
      }),
    }
  }
}

const textOf = ({ inPrice }: Indicator, value: number, scale: number): string =>
  inPrice ? formatPrice(value, scale) : value.toFixed(2).replace('-', '−')
