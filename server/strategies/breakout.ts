import { donchian } from '#kernel/indicators/bands.ts'
import { newestOf } from '#kernel/indicators/series.ts'
import { last, must } from '#kernel/must.ts'
import { fixedWindow } from './strategy.ts'

const parameters = { channel: 20 } as const

/** Expects a price that leaves its range to continue. */
export const breakout = fixedWindow({
  id: 'breakout',
  version: 1,
  name: 'Breakout',
  rule:
    `Buys when a candle closes above the highest price of the ${parameters.channel} candles before it (the Donchian channel), ` +
    'and sells when it closes below their lowest price.',
  parameters,
  needs: parameters.channel + 1,
  decide(candles) {
    const { close } = last(candles)
    const { upper, lower } = must(newestOf(donchian(parameters.channel), candles.slice(0, -1)))
    if (close > upper) return 'Buy'
    if (close < lower) return 'Sell'
    return undefined
  },
})
