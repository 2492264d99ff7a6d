import { setImmediate as breathe } from 'node:timers/promises'
import { SIGNAL_DURATIONS, type StrategyKey, type TradeSide } from '#contract/terms.ts'
import { MINUTE_MS, type Ms, SECOND_MS, startOf } from '#kernel/time.ts'
import type { Instrument, Instruments, Tape } from '../prices/index.ts'
import { placeOf, type Strategy } from '../strategies/index.ts'

/** A signal that has not been recorded yet. */
export interface Draft {
  strategy: StrategyKey
  version: number
  symbolId: number
  side: TradeSide
  durationSeconds: number
  /** End of the candle that it was computed from. */
  candleClose: Ms
  sourceKind: number
  staleAfterMs: number
}

/**
 * A close that the tape proves later than this gives no signal. The database refuses signals that are written more than
 * 5 s after their close; this leaves time to write them.
 */
export const LATE_MS = 4_500

/** Symbols that are computed before other work gets a turn. */
const AT_ONCE = 8

interface DeciderDeps {
  tape: Tape
  instruments: Instruments
  strategies: readonly Strategy[]
}

/** Follows the tape and computes signals at each candle's close. Never catches up: it begins where the tape is. */
export function createDecider(deps: DeciderDeps) {
  const { tape } = deps
  const needed = Math.max(...deps.strategies.map(({ needs }) => needs))
  const traded = () => deps.instruments.current().filter((instrument) => instrument.tradingType !== null)
  const lastClose = new Map<number, Ms>(traded().map(({ id, symbol }) => [id, closeOf(symbol)]))

  /** The minute of the tape in which every symbol's newest close was decided. */
  let finished: Ms | undefined

  /** The newest full minute whose end is proven for the symbol. */
  function closeOf(symbol: string): Ms {
    return startOf(Math.max(0, tape.provenUntil(symbol) + 1), MINUTE_MS)
  }

  /** Returns the signals of all candles that have closed since the last call, in an order that favours no symbol. */
  async function newDrafts(): Promise<Draft[]> {
    const minute = startOf(tape.head().t, MINUTE_MS)
    if (minute === finished) return []
    const drafts: Draft[] = []
    let computed = 0
    let isFinished = true
    for (const instrument of traded()) {
      const close = closeOf(instrument.symbol)
      if (close < minute) isFinished = false
      const last = lastClose.get(instrument.id)
      if (last !== undefined && close <= last) continue
      lastClose.set(instrument.id, close)
      if (tape.head().t - close > LATE_MS) continue
      drafts.push(...draftsAt(deps, needed, instrument, close))
      if (++computed % AT_ONCE === 0) await breathe()
    }
    if (isFinished) finished = minute
    return drafts
      .map((draft) => ({ draft, place: placeOf(draft) }))
      .sort((a, b) => (a.place < b.place ? -1 : 1))
      .map(({ draft }) => draft)
  }

  return { newDrafts }
}

/** Returns the signals of the candles that closed at a time. `needed`: how many candles strategies decide by. */
function draftsAt(
  { tape, strategies }: DeciderDeps,
  needed: number,
  { id, symbol, scale, staleAfterMs }: Instrument,
  close: Ms,
): Draft[] {
  const drafts: Draft[] = []
  for (const durationSeconds of SIGNAL_DURATIONS) {
    const length = durationSeconds * SECOND_MS
    if (close % length !== 0) continue
    const candles = tape
      .closedCandles(symbol, length, needed, close)
      .map(([time, open, high, low, last]) => ({ time, open, high, low, close: last }))
    // Without a tick in the candle that has just closed there is nothing to decide by.
    if (candles.at(-1)?.time !== close - length) continue
    for (const strategy of strategies) {
      const side = strategy.decide(candles, { symbol, scale, durationSeconds })
      if (side === undefined) continue
      const { id: strategyId, version } = strategy
      const sourceKind = tape.kind(symbol)
      drafts.push({
        strategy: strategyId,
        version,
        symbolId: id,
        side,
        durationSeconds,
        candleClose: close,
        sourceKind,
        staleAfterMs,
      })
    }
  }
  return drafts
}
