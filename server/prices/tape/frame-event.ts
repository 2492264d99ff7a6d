import { price } from '#kernel/price.ts'
import type { Ms } from '#kernel/time.ts'
import type { Instruments } from '../instruments/instruments.ts'
import type { Entry } from './frames/frame.ts'
import type { Tick } from './tape.ts'

/** A committed frame. */
export interface FrameEvent {
  n: number
  t: Ms
  /** By ascending symbol. */
  entries: Tick[]
}

/** Builds the frame event for the rest of the server. */
export function frameEvent(
  instruments: Instruments,
  frame: { n: number; t: Ms },
  entries: readonly Entry[],
): FrameEvent {
  const ticks: Tick[] = []
  for (const { symbol, kind, scale, seq, sourceMs, units } of entries) {
    const symbolId = instruments.bySymbol(symbol)?.id
    // Another node may know an instrument that was added after this one started.
    if (symbolId === undefined) continue
    ticks.push({ symbol, symbolId, price: price(BigInt(units)), scale, sourceMs, seq, kind })
  }
  return { n: frame.n, t: frame.t, entries: ticks }
}
