import { createHash } from 'node:crypto'
import { must } from '#kernel/must.ts'
import { fixedWindow } from './strategy.ts'

const parameters = { oneIn: 16 } as const

/**
 * The control that every other strategy must beat: a hash decides, so it knows nothing about where the price goes, and
 * anyone can recompute it. One toss for all symbols of a close: like those of the other strategies, its signals of a close
 * then win or lose together.
 */
export const coinToss = fixedWindow({
  id: 'coin-toss',
  version: 2,
  name: 'Coin toss',
  rule:
    `The control: a coin toss that ignores prices. After one candle in ${parameters.oneIn} on average it buys or sells all ` +
    'symbols with equal chance, by the SHA-256 hash of the duration and the time of the candle.',
  parameters,
  needs: 1,
  decide([candle], { durationSeconds }) {
    const hash = createHash('sha256')
      .update(`${durationSeconds}:${must(candle).time}`)
      .digest()
    if (hash.readUInt8(0) % parameters.oneIn !== 0) return undefined
    return hash.readUInt8(1) % 2 === 0 ? 'Buy' : 'Sell'
  },
})
