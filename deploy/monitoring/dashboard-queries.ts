/** Asks Prometheus what a Grafana panel would ask, over the same steps. */
export async function queryPanel(prometheus: string, panel: Panel, range: Range, widthPx: number): Promise<Series[]> {
  const step = stepSeconds(range, widthPx)
  const answers = await Promise.all(
    (panel.targets ?? []).map(async ({ expr, legendFormat = '' }) => {
      const query = expressionOf(expr, step, range)
      const matrix = await queryRange(prometheus, query, range, step)
      return matrix.map(({ metric, values }) => ({
        name: legendOf(legendFormat, metric, query),
        points: onGrid(values),
      }))
    }),
  )
  return answers.flat()

  /** One point per step. Where Prometheus has no number, the line has a gap. */
  function onGrid(values: [number, string][]): Point[] {
    const known = new Map(values.map(([at, value]) => [Math.round(at), Number(value)]))
    return stepsOf(range, step).map((at) => {
      const value = known.get(at)
      return [at, value !== undefined && Number.isFinite(value) ? value : null]
    })
  }
}

export interface Dashboard {
  title: string
  time: { from: string; to: string }
  panels: Panel[]
}

export interface Panel {
  id: number
  type: string
  title: string
  description?: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string; legendFormat?: string }[]
  fieldConfig?: {
    defaults: {
      unit?: string
      min?: number
      thresholds?: { steps: { color: string; value: number | null }[] }
      custom?: { fillOpacity?: number; lineWidth?: number; stacking?: { mode: string } }
    }
  }
}

/** Unix time in seconds. `scrapeSeconds` is the scrape interval, which Grafana knows from its data source. */
export interface Range {
  from: number
  to: number
  scrapeSeconds: number
}

export type Point = [at: number, value: number | null]
export interface Series {
  name: string
  points: Point[]
}

/** The steps that Grafana rounds to, in seconds, each with the length from which it rounds up to the next one. */
const ROUND_STEPS = [
  [1, 1.5],
  [2, 3.5],
  [5, 7.5],
  [10, 12.5],
  [15, 17.5],
  [20, 25],
  [30, 45],
  [60, 90],
  [120, 210],
  [300, 450],
  [600, 750],
  [900, 1_050],
  [1_200, 1_500],
  [1_800, 2_700],
  [3_600, 5_400],
  [7_200, 9_000],
  [10_800, 16_200],
  [21_600, 32_400],
  [43_200, 86_400],
] as const
const DAY_SECONDS = 86_400

/** Returns `$__interval`: about one point per pixel, rounded, and never shorter than the scrape interval. */
export function stepSeconds({ from, to, scrapeSeconds }: Range, widthPx: number): number {
  const exact = (to - from) / widthPx
  const round = ROUND_STEPS.find(([, below]) => exact < below)?.[0] ?? DAY_SECONDS
  return Math.max(round, scrapeSeconds)
}

/** Returns `$__rate_interval`: long enough for two scrapes, even if one is missed. */
export const rateIntervalSeconds = (step: number, scrapeSeconds: number): number =>
  Math.max(step + scrapeSeconds, 4 * scrapeSeconds)

/** Replaces Grafana's variables. Throws if one remains: Prometheus would reject it. */
export function expressionOf(expr: string, step: number, { from, to, scrapeSeconds }: Range): string {
  const query = expr
    .replaceAll(/\$__rate_interval\b/g, `${rateIntervalSeconds(step, scrapeSeconds)}s`)
    .replaceAll(/\$__interval\b/g, `${step}s`)
    .replaceAll(/\$__range\b/g, `${Math.round(to - from)}s`)
  const [unknown] = /\$\{?\w+\}?/.exec(query) ?? []
  if (unknown) throw new Error(`The picture doesn't know the variable ${unknown} in ${expr}.`)
  return query
}

/**
 * Returns a series' name: the format with its labels filled in; without a format, the metric as Prometheus writes it.
 */
export function legendOf(format: string, labels: Record<string, string>, query: string): string {
  if (format !== '' && format !== '__auto')
    return format.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_, label: string) => labels[label] ?? '')
  const { __name__: metric = '', ...others } = labels
  const pairs = Object.entries(others).map(([label, value]) => `${label}="${value}"`)
  return pairs.length > 0 ? `${metric}{${pairs.join(', ')}}` : metric || query
}

/** Lists the times of a range's points: multiples of the step, as in Grafana, so that points don't shift. */
export function stepsOf({ from, to }: Range, step: number): number[] {
  const first = Math.floor(from / step) * step
  return Array.from({ length: Math.floor((to - first) / step) + 1 }, (_, at) => first + at * step)
}

interface Answer {
  status: string
  error?: string
  data?: { result: { metric: Record<string, string>; values: [number, string][] }[] }
}

async function queryRange(prometheus: string, query: string, range: Range, step: number) {
  const times = stepsOf(range, step)
  const response = await fetch(new URL('/api/v1/query_range', prometheus), {
    method: 'POST',
    body: new URLSearchParams({ query, start: String(times[0]), end: String(times.at(-1)), step: String(step) }),
    signal: AbortSignal.timeout(30_000),
  })
  const { status, error, data } = (await response.json()) as Answer
  if (status !== 'success') throw new Error(`Prometheus rejected ${query}: ${error}`)
  return data!.result
}
