import { setImmediate as breathe } from 'node:timers/promises'
import { DURATIONS } from '#contract/terms.ts'
import { must } from '#kernel/must.ts'
import { MINUTE_MS, type Ms, SECOND_MS, startOf } from '#kernel/time.ts'
import { type Bar, barsOf, type OlderBars, readBars } from '../candles/candles.ts'
import type { Memory } from '../tape/memory/memory.ts'
import type { Instruments } from './instruments.ts'

/** Trades of the shortest duration are measured. */
const SPAN_MS = DURATIONS[0] * SECOND_MS
/** The newest spans that count, and how many are enough. */
const SPANS = 60
const ENOUGH = 30
/** How often the history before the tape is read again while the tape alone isn't enough. */
const HISTORY_EVERY_MS = 10 * MINUTE_MS

/**
 * Measures how far prices move in the shortest duration of a trade, in units of their last digit. Where that is a few
 * units, prices are steps that mostly go back: anyone who bets against each step wins more often than not.
 */
interface Moves {
  /** Measures again what a minute has changed. */
  measure(): Promise<void>
  /** Returns the mean move of the slot's newest hour; undefined while too little is known. */
  typical(slot: number): number | undefined
}

interface Measured {
  until: Ms
  /** Start of the period whose prices were measured. */
  since: Ms | undefined
  units: number | undefined
  historyAt: Ms
}

export function createMoves({
  memory,
  instruments,
  older,
}: {
  memory: Memory
  instruments: Instruments
  older: OlderBars
}): Moves {
  const measured = new Map<number, Measured>()
  const sinceOf = (slot: number) => memory.periods[slot]?.since

  async function measureSlot(slot: number): Promise<void> {
    const until = startOf(memory.head().t, SPAN_MS)
    const since = sinceOf(slot)
    const known = measured.get(slot)?.since === since ? measured.get(slot) : undefined
    if (since === undefined || known?.until === until) return
    const { bars, add } = barsOf(SPAN_MS)
    memory.minutes(slot, until - SPANS * SPAN_MS, until, add)
    let units = typicalMove(bars)
    let historyAt = known?.historyAt ?? 0
    if (units === undefined) {
      units = known?.units
      if (until - historyAt >= HISTORY_EVERY_MS || units === undefined) {
        await breathe()
        units = await moveBefore(slot, until)
        historyAt = until
      }
    }
    measured.set(slot, { until, since, units, historyAt })
  }

  /** Reads further back than memory; after a gap with few prices since, those before it. */
  async function moveBefore(slot: number, until: Ms): Promise<number | undefined> {
    const bars = await readBars(memory, older, slot, SPAN_MS, SPANS + 1, until)
    const found = typicalMove(bars)
    const [start] = bars[0] ?? []
    if (found !== undefined || start === undefined) return found
    return typicalMove(await readBars(memory, older, slot, SPAN_MS, SPANS + 1, start))
  }

  return {
    async measure() {
      for (const { symbol, tradingType } of instruments.current())
        if (tradingType !== null) await measureSlot(must(instruments.slotOf(symbol)))
    },
    typical(slot) {
      const known = measured.get(slot)
      return known?.since === sinceOf(slot) ? known?.units : undefined
    },
  }
}

/** Returns the mean distance of the closes of consecutive bars; undefined with too few. */
export function typicalMove(bars: readonly Bar[]): number | undefined {
  const moves = bars.slice(1).map(([, , , , close], n) => Math.abs(close - must(bars[n])[4]))
  return moves.length < ENOUGH ? undefined : moves.reduce((sum, move) => sum + move, 0) / moves.length
}
