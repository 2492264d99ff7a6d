import { dema, ema, hma, linearRegression, sma, tema, vwma, wma } from './averages.ts'
import { atr, bollinger, donchian, keltner, standardDeviation, zScore } from './bands.ts'
import { awesome, cci, macd, momentum, roc, rsi, stochastic, stochasticRsi, williams } from './oscillators.ts'
import type { Candle, Series } from './series.ts'
import { adx, aroon, fractals, heikinTrend, ichimoku, parabolicSar, pivots, superTrend } from './trends.ts'

/** A number that a trader sets. */
interface Input {
  name: string
  initial: number
  min: number
  max: number
  /** The smallest difference: 1 for lengths. */
  step: number
}

/** One line of an indicator. */
interface Output {
  key: string
  name: string
  as: 'line' | 'histogram' | 'dots' | 'steps'
  /** Candles that it's drawn ahead of the one that it belongs to; negative: back. Given the inputs. */
  shift?: (inputs: readonly number[]) => number
  /** Has no value on some candles, however many came before. */
  sometimes?: true
}

export type Values = Readonly<Record<string, number | undefined>>

export interface Indicator {
  id: string
  /** In lists and in the legend. */
  name: string
  short: string
  /** The formula, as the dialog shows it. */
  rule: string
  /** Over the prices, or in a pane of the chart below them. */
  place: 'overlay' | 'pane'
  inputs: readonly Input[]
  outputs: readonly Output[]
  /** Values that a pane marks with a line. */
  guides?: readonly number[]
  /** Its values are in the unit of prices. */
  inPrice?: true
  needsVolume?: true
  /** Its values depend on all candles before, though ever less on the older ones. */
  remembers?: true
  /** Whether the inputs go together, besides their limits. */
  accepts?: (inputs: readonly number[]) => boolean
  start(inputs: readonly number[]): Series<Candle, Values>
}

const length = (initial: number, name = 'Length'): Input => ({ name, initial, min: 1, max: 500, step: 1 })
const multiple = (initial: number, name: string): Input => ({ name, initial, min: 0.1, max: 20, step: 0.1 })
const LINE: readonly Output[] = [{ key: 'value', name: 'Value', as: 'line' }]
const BAND: readonly Output[] = [
  { key: 'upper', name: 'Upper', as: 'line' },
  { key: 'middle', name: 'Middle', as: 'line' },
  { key: 'lower', name: 'Lower', as: 'line' },
]
const SIGNAL: readonly Output[] = [
  { key: 'k', name: '%K', as: 'line' },
  { key: 'd', name: '%D', as: 'line' },
]

/** Names the result of a series that has one. */
const one =
  (series: Series<Candle, number>): Series<Candle, Values> =>
  (candle, replace) => {
    const value = series(candle, replace)
    return value === undefined ? undefined : { value }
  }

/** A series of the closes. */
const ofCloses =
  <Out>(series: Series<number, Out>): Series<Candle, Out> =>
  ({ close }, replace) =>
    series(close, replace)

/** The rising inputs of indicators that compare a short with a long average. */
const isRising = ([fast = 0, slow = 0]: readonly number[]): boolean => fast < slow

const average = (
  id: string,
  short: string,
  name: string,
  rule: string,
  series: (length: number) => Series<number, number>,
  more: Partial<Indicator> = {},
): Indicator => ({
  id,
  short,
  name,
  rule,
  place: 'overlay',
  inputs: [length(20)],
  outputs: LINE,
  inPrice: true,
  start: ([n = 20]) => one(ofCloses(series(n))),
  ...more,
})

const REMEMBERS = { remembers: true } as const

const AVERAGES: readonly Indicator[] = [
  average('sma', 'SMA', 'Simple moving average', 'Mean of the closes.', sma),
  average(
    'ema',
    'EMA',
    'Exponential moving average',
    'Close × w + average × (1 − w), w = 2 ÷ (length + 1).',
    ema,
    REMEMBERS,
  ),
  average('wma', 'WMA', 'Weighted moving average', 'Mean of the closes, weighted from 1 (oldest) to length.', wma),
  average('dema', 'DEMA', 'Double exponential moving average', '2 × EMA − EMA of the EMA.', dema, REMEMBERS),
  average('tema', 'TEMA', 'Triple exponential moving average', '3 × EMA − 3 × EMA² + EMA³.', tema, REMEMBERS),
  average('hma', 'HMA', 'Hull moving average', 'WMA over √length of 2 × WMA(length ÷ 2) − WMA(length).', hma),
  average(
    'linreg',
    'LinReg',
    'Linear regression',
    'End of the least-squares line through the closes.',
    linearRegression,
  ),
  {
    id: 'vwma',
    short: 'VWMA',
    name: 'Volume-weighted moving average',
    rule: 'Σ close × volume ÷ Σ volume.',
    place: 'overlay',
    inputs: [length(20)],
    outputs: LINE,
    inPrice: true,
    needsVolume: true,
    start: ([n = 20]) => one(vwma(n)),
  },
]

const BANDS: readonly Indicator[] = [
  {
    id: 'bollinger',
    short: 'Bollinger',
    name: 'Bollinger bands',
    rule: 'Mean of the closes, and so many standard deviations above and below it.',
    place: 'overlay',
    inputs: [length(20), multiple(2, 'Deviations')],
    outputs: BAND,
    inPrice: true,
    start: ([n = 20, deviations = 2]) => ofCloses(bands(bollinger(n, deviations))),
  },
  {
    id: 'keltner',
    short: 'Keltner',
    name: 'Keltner channel',
    rule: 'EMA of the closes, and so many average true ranges above and below it.',
    place: 'overlay',
    remembers: true,
    inputs: [length(20), length(10, 'ATR length'), multiple(2, 'Multiple')],
    outputs: BAND,
    inPrice: true,
    start: ([n = 20, range = 10, times = 2]) => bands(keltner(n, range, times)),
  },
  {
    id: 'donchian',
    short: 'Donchian',
    name: 'Donchian channel',
    rule: 'Highest and lowest price, and their middle.',
    place: 'overlay',
    inputs: [length(20)],
    outputs: BAND,
    inPrice: true,
    start: ([n = 20]) => bands(donchian(n)),
  },
]

/** Makes an indicator's values of a band. */
function bands<In, Out extends object>(series: Series<In, Out>): Series<In, Values> {
  return (input, replace) => {
    const result = series(input, replace)
    return result && ({ ...result } as Values)
  }
}

const TRENDS: readonly Indicator[] = [
  {
    id: 'ichimoku',
    short: 'Ichimoku',
    name: 'Ichimoku cloud',
    rule: 'Middles of three ranges; both spans drawn ahead, the close drawn back.',
    place: 'overlay',
    inputs: [length(9, 'Conversion'), length(26, 'Base'), length(52, 'Span B')],
    outputs: [
      { key: 'conversion', name: 'Conversion', as: 'line' },
      { key: 'base', name: 'Base', as: 'line' },
      { key: 'spanA', name: 'Span A', as: 'line', shift: ([, base = 26]) => base },
      { key: 'spanB', name: 'Span B', as: 'line', shift: ([, base = 26]) => base },
      { key: 'lagging', name: 'Lagging', as: 'line', shift: ([, base = 26]) => -base },
    ],
    inPrice: true,
    start: ([conversion = 9, base = 26, span = 52]) => bands(ichimoku(conversion, base, span)),
  },
  {
    id: 'sar',
    short: 'SAR',
    name: 'Parabolic SAR',
    rule: 'SAR + factor × (extreme − SAR); the factor grows by the step with each new extreme.',
    place: 'overlay',
    remembers: true,
    inputs: [
      { name: 'Step', initial: 0.02, min: 0.001, max: 0.5, step: 0.001 },
      { name: 'Maximum', initial: 0.2, min: 0.01, max: 1, step: 0.01 },
    ],
    outputs: [{ key: 'value', name: 'SAR', as: 'dots' }],
    inPrice: true,
    start: ([step = 0.02, most = 0.2]) => one(parabolicSar(step, most)),
  },
  {
    id: 'supertrend',
    short: 'SuperTrend',
    name: 'SuperTrend',
    rule: 'A band of so many average true ranges that only moves towards the price.',
    place: 'overlay',
    remembers: true,
    inputs: [length(10), multiple(3, 'Multiple')],
    outputs: [
      { key: 'rising', name: 'Rising', as: 'line', sometimes: true },
      { key: 'falling', name: 'Falling', as: 'line', sometimes: true },
    ],
    inPrice: true,
    start: ([n = 10, times = 3]) => bands(superTrend(n, times)),
  },
  {
    id: 'pivots',
    short: 'Pivots',
    name: 'Pivot points',
    rule: '(High + low + close) ÷ 3 of the day before (UTC), with two supports and resistances.',
    place: 'overlay',
    inputs: [],
    outputs: [
      { key: 'p', name: 'Pivot', as: 'steps' },
      { key: 'r1', name: 'R1', as: 'steps' },
      { key: 's1', name: 'S1', as: 'steps' },
      { key: 'r2', name: 'R2', as: 'steps' },
      { key: 's2', name: 'S2', as: 'steps' },
    ],
    inPrice: true,
    start: () => bands(pivots()),
  },
  {
    id: 'fractals',
    short: 'Fractals',
    name: 'Fractals',
    rule: 'A high above, or a low below, those of two candles on each side; known two candles later.',
    place: 'overlay',
    inputs: [],
    outputs: [
      { key: 'up', name: 'Up', as: 'dots', shift: () => -2, sometimes: true },
      { key: 'down', name: 'Down', as: 'dots', shift: () => -2, sometimes: true },
    ],
    inPrice: true,
    start: () => bands(fractals()),
  },
  {
    id: 'adx',
    short: 'ADX',
    name: 'Average directional index',
    rule: 'Smoothed |+DI − −DI| ÷ (+DI + −DI), with Wilder’s averages.',
    place: 'pane',
    remembers: true,
    inputs: [length(14)],
    outputs: [
      { key: 'adx', name: 'ADX', as: 'line' },
      { key: 'plus', name: '+DI', as: 'line' },
      { key: 'minus', name: '−DI', as: 'line' },
    ],
    guides: [25],
    start: ([n = 14]) => bands(adx(n)),
  },
  {
    id: 'aroon',
    short: 'Aroon',
    name: 'Aroon',
    rule: 'How recent the highest and the lowest price are, 100 for the newest candle.',
    place: 'pane',
    inputs: [length(14)],
    outputs: [
      { key: 'up', name: 'Up', as: 'line' },
      { key: 'down', name: 'Down', as: 'line' },
    ],
    start: ([n = 14]) => bands(aroon(n)),
  },
  {
    id: 'heikin',
    short: 'Heikin trend',
    name: 'Heikin trend',
    rule: 'Heikin Ashi candles of one direction in a row, negative while they fall.',
    place: 'pane',
    remembers: true,
    inputs: [],
    outputs: [{ key: 'value', name: 'Run', as: 'histogram' }],
    start: () => one(heikinTrend()),
  },
]

const single = (
  id: string,
  short: string,
  name: string,
  rule: string,
  initial: number,
  start: (length: number) => Series<Candle, number>,
  more: Partial<Indicator> = {},
): Indicator => ({
  id,
  short,
  name,
  rule,
  place: 'pane',
  inputs: [length(initial)],
  outputs: LINE,
  start: ([n = initial]) => one(start(n)),
  ...more,
})

const OSCILLATORS: readonly Indicator[] = [
  single(
    'rsi',
    'RSI',
    'Relative strength index',
    '100 − 100 ÷ (1 + average gain ÷ average loss).',
    14,
    (n) => ofCloses(rsi(n)),
    { guides: [30, 70], ...REMEMBERS },
  ),
  {
    id: 'stochastic',
    short: 'Stochastic',
    name: 'Stochastic',
    rule: 'Where the close is in the range, smoothed, with its average.',
    place: 'pane',
    inputs: [length(14), length(3, 'Smoothing'), length(3, 'Signal')],
    outputs: SIGNAL,
    guides: [20, 80],
    start: ([n = 14, slowing = 3, signal = 3]) => bands(stochastic(n, slowing, signal)),
  },
  {
    id: 'stochrsi',
    short: 'StochRSI',
    name: 'Stochastic RSI',
    rule: 'Where the RSI is in its range, smoothed, with its average.',
    place: 'pane',
    remembers: true,
    inputs: [length(14, 'RSI length'), length(14, 'Range'), length(3, 'Smoothing'), length(3, 'Signal')],
    outputs: SIGNAL,
    guides: [20, 80],
    start: ([index = 14, n = 14, slowing = 3, signal = 3]) => ofCloses(bands(stochasticRsi(index, n, slowing, signal))),
  },
  {
    id: 'macd',
    short: 'MACD',
    name: 'MACD',
    rule: 'EMA(fast) − EMA(slow), its EMA as the signal, and the difference of both.',
    place: 'pane',
    remembers: true,
    inputs: [length(12, 'Fast'), length(26, 'Slow'), length(9, 'Signal')],
    outputs: [
      { key: 'histogram', name: 'Histogram', as: 'histogram' },
      { key: 'line', name: 'MACD', as: 'line' },
      { key: 'signal', name: 'Signal', as: 'line' },
    ],
    inPrice: true,
    accepts: isRising,
    start: ([fast = 12, slow = 26, signal = 9]) => ofCloses(bands(macd(fast, slow, signal))),
  },
  single('cci', 'CCI', 'Commodity channel index', '(Typical price − mean) ÷ (0.015 × mean deviation).', 20, cci, {
    guides: [-100, 100],
  }),
  single('roc', 'ROC', 'Rate of change', 'Change over the length, in percent.', 9, (n) => ofCloses(roc(n)), {
    guides: [0],
  }),
  single('momentum', 'Momentum', 'Momentum', 'Change over the length.', 10, (n) => ofCloses(momentum(n)), {
    guides: [0],
    inPrice: true,
  }),
  single(
    'williams',
    'Williams %R',
    'Williams %R',
    'How far the close is below the highest price, −100 to 0.',
    14,
    williams,
    { guides: [-80, -20] },
  ),
  single('atr', 'ATR', 'Average true range', 'Wilder’s average of the true range.', 14, atr, {
    inPrice: true,
    ...REMEMBERS,
  }),
  {
    id: 'awesome',
    short: 'AO',
    name: 'Awesome oscillator',
    rule: 'SMA(fast) − SMA(slow) of the middle of high and low.',
    place: 'pane',
    inputs: [length(5, 'Fast'), length(34, 'Slow')],
    outputs: [{ key: 'value', name: 'Value', as: 'histogram' }],
    inPrice: true,
    accepts: isRising,
    start: ([fast = 5, slow = 34]) => one(awesome(fast, slow)),
  },
  single(
    'stddev',
    'StdDev',
    'Standard deviation',
    'Standard deviation of the closes.',
    20,
    (n) => ofCloses(standardDeviation(n)),
    { inPrice: true },
  ),
  single(
    'zscore',
    'Z-score',
    'Z-score',
    'How many standard deviations the close is from its mean.',
    20,
    (n) => ofCloses(zScore(n)),
    { guides: [-2, 0, 2] },
  ),
]

/** All indicators, in the order in which the chart offers them. */
export const INDICATORS: readonly Indicator[] = [...AVERAGES, ...BANDS, ...TRENDS, ...OSCILLATORS]

export const indicatorOf = (id: string): Indicator | undefined => INDICATORS.find((one) => one.id === id)

/** Whether these are inputs of the indicator: as many, within their limits, and fitting together. */
export function takesInputs({ inputs, accepts }: Indicator, values: readonly number[]): boolean {
  const isWithin = inputs.every(({ min, max }, at) => {
    const value = values[at]
    return value !== undefined && value >= min && value <= max
  })
  return values.length === inputs.length && isWithin && (accepts?.(values) ?? true) && wholeLengths(inputs, values)
}

const wholeLengths = (inputs: readonly Input[], values: readonly number[]): boolean =>
  inputs.every(({ step }, at) => step !== 1 || Number.isInteger(values[at]))
