import { createHash } from 'node:crypto'
import { fixedWindow } from './strategy.ts'

const parameters = { oneIn: 16 } as const

/**
 * The control that every other strategy must beat: a hash decides, so it knows nothing about where the price goes, and
 * anyone can recompute it.
 */
export const coinToss = fixedWindow({
  id: 'coin-toss',
  version: 1,
  name: 'Coin toss',
  rule:
    `The control: a coin toss that ignores where the price is going. After one candle in ${parameters.oneIn} on average it buys or ` +
    'sells with equal chance, by the SHA-256 hash of symbol, duration, and the time and close of the candle.',
  parameters,
  needs: 1,
  decide([candle], { symbol, durationSeconds }) {
    const { time, close } = candle!
    const hash = createHash('sha256').update(`${symbol}:${durationSeconds}:${time}:${close}`).digest()
    if (hash[0]! % parameters.oneIn !== 0) return undefined
    return hash[1]! % 2 === 0 ? 'Buy' : 'Sell'
  },
})
