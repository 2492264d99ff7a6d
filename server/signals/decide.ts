import { randomBytes } from 'node:crypto'
import { setImmediate as breathe } from 'node:timers/promises'
import { SIGNAL_DURATIONS, type StrategyKey, type TradeSide } from '#contract/terms.ts'
import { MINUTE_MS, type Ms, SECOND_MS, startOf } from '#kernel/time.ts'
import type { RecordedStrategy } from '../own-strategies/index.ts'
import type { Instrument, Instruments, Tape } from '../prices/index.ts'
import { type Candle, placeOf, type Strategy } from '../strategies/index.ts'

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
  /** The random value of a signal that only its owner may read; null if it's public. */
  seal: Buffer | null
}

/**
 * A close that the tape proves later than this gives no signal. The database refuses signals that are written more than
 * 5 s after their close; this leaves time to write them.
 */
export const LATE_MS = 4_500

/** As many as a hash has, so that nobody can guess what a sealed signal says. */
export const SEAL_BYTES = 32

/** Symbols that are computed before other work gets a turn, and decisions of traders' strategies. */
const AT_ONCE = 8
const DECISIONS_AT_ONCE = 10

interface DeciderDeps {
  tape: Tape
  instruments: Instruments
  strategies: readonly Strategy[]
  /** Traders' strategies whose signals are recorded. */
  traders?: () => Promise<readonly RecordedStrategy[]>
}

/** A symbol's candles up to this time are complete. */
interface Close {
  instrument: Instrument
  close: Ms
}

/** Follows the tape and computes signals at each candle's close. Never catches up: it begins where the tape is. */
export function createDecider(deps: DeciderDeps) {
  const { tape } = deps
  const needed = Math.max(...deps.strategies.map(({ needs }) => needs))
  const traded = () => deps.instruments.current().filter((instrument) => instrument.tradingType !== null)
  const lastClose = new Map<number, Ms>(traded().map(({ id, symbol }) => [id, closeOf(symbol)]))

  /** The minute of the tape in which every symbol's newest close was decided. */
  let finished: Ms | undefined
  /** Closes that traders' strategies have not decided yet. */
  let undecided: Close[] = []

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
      drafts.push(...draftsAt(deps, needed, { instrument, close }))
      undecided.push({ instrument, close })
      if (++computed % AT_ONCE === 0) await breathe()
    }
    if (isFinished) finished = minute
    return inPlace(drafts)
  }

  /**
   * Returns the signals of traders' strategies at those closes: apart, so that they never delay the platform's. What isn't
   * decided by the time at which signals are late is left out; each minute begins elsewhere, so it's never the same ones.
   */
  async function tradersDrafts(): Promise<Draft[]> {
    const closes = turned(undecided)
    undecided = []
    const strategies = closes.length > 0 ? turned((await deps.traders?.()) ?? []) : []
    const drafts: Draft[] = []
    let decided = 0
    for (const close of closes) {
      if (tape.head().t - close.close > LATE_MS) continue
      const about = strategies.filter(({ symbolIds }) => symbolIds.has(close.instrument.id))
      for (const [durationSeconds, those] of Map.groupBy(about, (strategy) => strategy.durationSeconds)) {
        const candles = closedCandles(tape, close, durationSeconds, Math.max(...those.map(({ needs }) => needs)))
        if (!candles) continue
        for (const strategy of those) {
          if (++decided % DECISIONS_AT_ONCE === 0) await breathe()
          if (tape.head().t - close.close > LATE_MS) break
          const side = strategy.decide(candles, subjectOf(close.instrument, durationSeconds))
          if (side) drafts.push(draftOf(tape, close, durationSeconds, { ...strategy, side }))
        }
      }
    }
    return inPlace(drafts)
  }

  /** Returns a list that begins at another place each minute. */
  function turned<T>(list: readonly T[]): T[] {
    const from = list.length === 0 ? 0 : (Math.floor(tape.head().t / MINUTE_MS) * 7919) % list.length
    return [...list.slice(from), ...list.slice(0, from)]
  }

  return { newDrafts, tradersDrafts }
}

const inPlace = (drafts: readonly Draft[]): Draft[] =>
  drafts
    .map((draft) => ({ draft, place: placeOf(draft) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ draft }) => draft)

/** Returns the signals of the candles that closed at a time. `needed`: how many candles strategies decide by. */
function draftsAt({ tape, strategies }: DeciderDeps, needed: number, close: Close): Draft[] {
  return SIGNAL_DURATIONS.flatMap((durationSeconds) => {
    const candles = closedCandles(tape, close, durationSeconds, needed)
    if (!candles) return []
    return strategies.flatMap((strategy) => {
      const side = strategy.decide(candles, subjectOf(close.instrument, durationSeconds))
      if (side === undefined) return []
      const { id: key, version } = strategy
      return [draftOf(tape, close, durationSeconds, { key, version, side, isPublic: true })]
    })
  })
}

const subjectOf = ({ symbol, scale }: Instrument, durationSeconds: number) => ({ symbol, scale, durationSeconds })

/**
 * Returns the newest candles up to a close; undefined if none ends there. Without a tick in the candle that has just
 * closed there is nothing to decide by.
 */
function closedCandles(
  tape: Tape,
  { instrument, close }: Close,
  durationSeconds: number,
  needed: number,
): Candle[] | undefined {
  const length = durationSeconds * SECOND_MS
  if (close % length !== 0) return undefined
  const candles = tape
    .closedCandles(instrument.symbol, length, needed, close)
    .map(([time, open, high, low, last]) => ({ time, open, high, low, close: last }))
  return candles.at(-1)?.time === close - length ? candles : undefined
}

function draftOf(
  tape: Tape,
  { instrument, close }: Close,
  durationSeconds: number,
  { key, version, side, isPublic }: { key: StrategyKey; version: number; side: TradeSide; isPublic: boolean },
): Draft {
  return {
    ...{ strategy: key, version, side, durationSeconds },
    symbolId: instrument.id,
    candleClose: close,
    sourceKind: tape.kind(instrument.symbol),
    staleAfterMs: instrument.staleAfterMs,
    seal: isPublic ? null : randomBytes(SEAL_BYTES),
  }
}
