import * as z from 'zod/mini'
import { indicatorOf, takesInputs } from '#kernel/indicators/list.ts'
import { type Endpoint, messageReply, replyOf } from '../endpoint.ts'
import { MESSAGE, oneOf, text } from '../fields.ts'
import { CANDLE_INTERVALS, type CandleInterval } from '../terms.ts'
import { CHART_COLOURS, CHART_KINDS, CHART_LIMITS, DRAWING_KINDS, DRAWING_POINTS } from './chart-terms.ts'

const INTERVALS = Object.keys(CANDLE_INTERVALS) as [CandleInterval, ...CandleInterval[]]
/** Prices and times beyond these are no point of a chart. */
const PRICE_MAX = 1e12
const TIME_MAX = Date.UTC(2200, 0)

const list = <T extends z.ZodMiniType>(of: T, max: number) =>
  z
    .array(of, { error: 'must be a list' })
    .check(z.maxLength(max, { error: `must have at most ${max} entries`, abort: true }))

/** A number of the chart: no amount of money, and of no fixed scale. */
const number = (min: number, max: number) =>
  z.number({ error: 'must be a number' }).check(z.refine((value) => value >= min && value <= max, MESSAGE.invalid))

const flag = z.boolean({ error: 'must be true or false' })

const ChartIndicator = z
  .strictObject({
    /** One of `kernel/indicators/list.ts`. */
    indicator: text(20),
    inputs: list(number(-1e6, 1e6), 8),
    /** The colour of each line. */
    colours: list(oneOf(CHART_COLOURS), 8),
    /** Drawn in a pane below the prices, and not over them. */
    pane: flag,
    hidden: z.optional(flag),
  })
  .check(
    z.refine(({ indicator, inputs, colours }) => {
      const known = indicatorOf(indicator)
      return (
        known !== undefined &&
        !known.needsVolume &&
        takesInputs(known, inputs) &&
        colours.length === known.outputs.length
      )
    }, MESSAGE.invalid),
  )

const indicators = list(ChartIndicator, CHART_LIMITS.indicators)

const Layout = z.strictObject({
  name: text(CHART_LIMITS.name),
  interval: oneOf(INTERVALS),
  kind: oneOf(CHART_KINDS),
  log: flag,
  indicators,
})

const Point = z.strictObject({
  /** Unix milliseconds. */
  time: number(0, TIME_MAX),
  price: number(-PRICE_MAX, PRICE_MAX),
})

const Drawing = z
  .strictObject({
    id: z.string({ error: 'must be text' }).check(z.regex(/^[a-z0-9]{1,12}$/, MESSAGE.invalid)),
    kind: oneOf(DRAWING_KINDS),
    colour: oneOf(CHART_COLOURS),
    points: list(Point, 2),
  })
  .check(z.refine(({ kind, points }) => points.length === DRAWING_POINTS[kind], MESSAGE.invalid))

const isUnique =
  <T>(of: (one: T) => string) =>
  (all: readonly T[]) =>
    new Set(all.map(of)).size === all.length

const layouts = list(Layout, CHART_LIMITS.layouts).check(
  z.refine(
    isUnique(({ name }) => name),
    'must not repeat a name',
  ),
)
const drawings = z.record(
  z.string().check(z.regex(/^[A-Z0-9]{1,20}$/, MESSAGE.invalid)),
  list(Drawing, CHART_LIMITS.drawings).check(
    z.refine(
      isUnique(({ id }) => id),
      'must not repeat an id',
    ),
  ),
)

/** What a trader has put on their charts, kept with the account. */
const ChartDocument = z.strictObject({
  /** From the first one drawn to the last. */
  indicators: z.optional(indicators),
  layouts: z.optional(layouts),
  /** By symbol. */
  drawings: z.optional(drawings),
})
export type ChartDocument = z.infer<typeof ChartDocument>
export type ChartIndicator = z.infer<typeof ChartIndicator>
export type ChartLayout = z.infer<typeof Layout>
export type Drawing = z.infer<typeof Drawing>

export const chartCalls = {
  'GET /users/chart': {
    summary: 'Returns the indicators, layouts and drawings of the trader.',
    access: 'user',
    guests: true,
    reply: replyOf(ChartDocument),
    problems: [],
  },
  'PATCH /users/chart': {
    summary:
      'Stores indicators, layouts, or the drawings of some symbols. What is omitted stays the same, also the drawings of other symbols.',
    access: 'user',
    guests: true,
    // A chart writes at most once a second; two may be open.
    limit: { max: 120, per: 'minute' },
    body: ChartDocument.check(z.refine((body) => Object.keys(body).length > 0, MESSAGE.empty)),
    reply: messageReply,
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
