import { createHash } from 'node:crypto'
import type { StrategyKey } from '#contract/terms.ts'
import type { Ms } from '#kernel/time.ts'

/**
 * Returns a key that sorts the signals of one moment. Followers who are free for one trade take the first, so the order
 * differs from close to close and favours no symbol.
 */
export const placeOf = (signal: {
  strategy: StrategyKey
  symbolId: number
  durationSeconds: number
  /** End of the candle that it was computed from. */
  candleClose: Ms
}): string => {
  const { strategy, symbolId, durationSeconds, candleClose } = signal
  return createHash('sha256').update(`${candleClose} ${durationSeconds} ${symbolId} ${strategy}`).digest('hex')
}
