import { ema } from '#kernel/indicators/averages.ts'
import { valuesOf } from '#kernel/indicators/series.ts'
import { last, must } from '#kernel/must.ts'
import { fixedWindow } from './strategy.ts'

const parameters = { fast: 3, slow: 8 } as const

/** Follows a change of direction. The window is short, so that a new installation has signals after twelve candles. */
export const trend = fixedWindow({
  id: 'trend',
  version: 1,
  name: 'Trend',
  rule:
    `Buys when the exponential moving average of the last ${parameters.fast} closes crosses above that of the last ` +
    `${parameters.slow}, and sells when it crosses below. Both averages start 12 candles back.`,
  parameters,
  needs: 12,
  decide(candles) {
    const closes = candles.map(({ close }) => close)
    const fast = valuesOf(ema(parameters.fast), closes)
    const slow = valuesOf(ema(parameters.slow), closes)
    const before = must(fast.at(-2)) - must(slow.at(-2))
    const now = last(fast) - last(slow)
    if (before <= 0 && now > 0) return 'Buy'
    if (before >= 0 && now < 0) return 'Sell'
    return undefined
  },
})
