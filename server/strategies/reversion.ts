import { bollinger } from '#kernel/indicators/bands.ts'
import { rsi } from '#kernel/indicators/oscillators.ts'
import { newestOf } from '#kernel/indicators/series.ts'
import { last, must } from '#kernel/must.ts'
import { fixedWindow } from './strategy.ts'

const parameters = { rsi: 14, oversold: 30, overbought: 70, band: 20, deviations: 2 } as const

/**
 * Expects a price that ran too far to come back. The window is that of the band: the tape's memory holds 23 whole hours,
 * and hourly candles need theirs.
 */
export const reversion = fixedWindow({
  id: 'reversion',
  version: 1,
  name: 'Reversion',
  rule:
    `Buys when a candle closes below the lower Bollinger band (${parameters.band} closes, ${parameters.deviations} standard ` +
    `deviations) while the relative strength index of ${parameters.rsi} candles is below ${parameters.oversold}. Sells when it ` +
    `closes above the upper band while the index is above ${parameters.overbought}. The index starts 20 candles back.`,
  parameters,
  needs: parameters.band,
  decide(candles) {
    const closes = candles.map(({ close }) => close)
    const close = last(closes)
    const index = must(newestOf(rsi(parameters.rsi), closes))
    const { lower, upper } = must(newestOf(bollinger(parameters.band, parameters.deviations), closes))
    if (close < lower && index < parameters.oversold) return 'Buy'
    if (close > upper && index > parameters.overbought) return 'Sell'
    return undefined
  },
})
