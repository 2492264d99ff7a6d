import type { Alert, AlertBody, AlertDirection, AlertInterval, AlertKind } from '#contract/trading/alerts.ts'
import { MOVE_LIMITS } from '#contract/trading/alerts.ts'
import { INDICATORS, type Indicator, indicatorOf } from '#kernel/indicators/list.ts'
import { readNumber, ungrouped } from '#web/ui/index.ts'

/** What the dialog holds, as it's typed. */
export interface Typed {
  kind: AlertKind
  symbol: string
  direction: AlertDirection
  level: string
  percent: string
  minutes: number
  indicator: string
  inputs: readonly string[]
  output: string
  interval: AlertInterval
  threshold: string
}

/** The tape has no volume. */
export const OFFERED = INDICATORS.filter(({ needsVolume }) => !needsVolume)

/** An indicator as it's offered first: with its usual inputs, its first line and its highest guide. */
export function freshIndicator(known: Indicator): Pick<Typed, 'indicator' | 'inputs' | 'output' | 'threshold'> {
  return {
    indicator: known.id,
    inputs: known.inputs.map(({ initial }) => String(initial)),
    output: known.outputs[0]?.key ?? '',
    threshold: known.guides ? String(Math.max(...known.guides)) : '',
  }
}

const USUAL = {
  kind: 'price',
  direction: 'either',
  percent: '2',
  minutes: 15,
  interval: '5m',
} as const

/** What the dialog begins with: an alert to change, or a symbol and its price. */
export function typedOf(alert: Alert | undefined, symbol: string, price: string): Typed {
  const rsi = indicatorOf('rsi')
  const typed: Typed = {
    ...USUAL,
    ...(rsi ? freshIndicator(rsi) : { indicator: '', inputs: [], output: '', threshold: '' }),
    symbol,
    level: price,
  }
  if (!alert) return typed
  const { kind, level = price, percent, minutes = USUAL.minutes, indicator } = alert
  return {
    ...typed,
    ...{ kind, level, minutes },
    symbol: alert.symbol,
    // A price is crossed from wherever it is by now.
    direction: kind === 'price' ? 'either' : alert.direction,
    ...(percent !== undefined && { percent: String(percent) }),
    ...(indicator && {
      indicator: indicator.id,
      inputs: indicator.inputs.map(String),
      output: indicator.output,
      interval: indicator.interval,
      threshold: String(indicator.level),
    }),
  }
}

export type Wrong = Partial<Record<'symbol' | 'level' | 'percent' | 'inputs' | 'threshold', string>>

/** What the call takes, or what is wrong with what was typed. */
export function bodyOf(typed: Typed, symbols: readonly string[]): { body: AlertBody } | { wrong: Wrong } {
  const { kind, direction } = typed
  const symbol = typed.symbol.trim().toUpperCase()
  if (!symbols.includes(symbol)) return { wrong: { symbol: 'is not one of ours' } }
  if (kind === 'price') {
    if (!(readNumber(typed.level) > 0)) return { wrong: { level: 'must be a price' } }
    return { body: { kind, symbol, direction, level: ungrouped(typed.level) } }
  }
  if (kind === 'move') {
    const percent = readNumber(typed.percent)
    const { min, max } = MOVE_LIMITS
    if (!(percent >= min && percent <= max)) return { wrong: { percent: `must be between ${min} and ${max}` } }
    return { body: { kind, symbol, direction, percent, minutes: typed.minutes } }
  }
  const inputs = typed.inputs.map(readNumber)
  if (inputs.some(Number.isNaN)) return { wrong: { inputs: 'must be a number' } }
  const level = readNumber(typed.threshold)
  if (Number.isNaN(level)) return { wrong: { threshold: 'must be a number' } }
  const { indicator: id, output, interval } = typed
  return { body: { kind, symbol, direction, indicator: { id, inputs, output, interval, level } } }
}
