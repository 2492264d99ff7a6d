import { assert } from '#kernel/assert.ts'
import { type Price, price } from '#kernel/price.ts'
import type { Ms } from '#kernel/time.ts'
import type { Clock } from '../platform/clock.ts'
import { type Feed, kindOf } from './feed.ts'
import { OLDEST_MS } from './gate.ts'
import type { Instrument, Instruments } from './instruments.ts'
import type { Memory } from './memory.ts'

/** A published price; final. */
export interface Tick {
  symbol: string
  symbolId: number
  /** At the symbol's scale. */
  price: Price
  scale: number
  sourceMs: Ms
  seq: number
  /** 0 live, 1 replay, 2 simulation. */
  kind: number
}

export interface SymbolStatus {
  status: 'open' | 'stale' | 'unavailable'
  /** The reason as text for the trader, if it is not open. */
  reason?: string
}

/** The tape as this node knows it: committed frames and nothing else. Every method answers from memory. */
export interface Tape {
  /** The newest frame's number and time; 0 and 0 before the first. */
  head(): { n: number; t: Ms }
  /** Returns the newest tick; undefined if there is none yet. An unknown symbol is a bug. */
  latest(symbol: string): Tick | undefined
  /** Everything up to and including this time is proven for the symbol: no later frame can contain an older tick. */
  provenUntil(symbol: string): Ms
  status(symbol: string): SymbolStatus
  /** The kind of source that a trade placed now would run on: 0 live, 1 replay, 2 simulation. */
  kind(symbol: string): number
}

export function createTape(deps: { instruments: Instruments; memory: Memory; feed: Feed; clock: Clock }): Tape {
  const { instruments, memory, feed, clock } = deps

  const slotOf = (symbol: string): number => {
    const slot = instruments.slotOf(symbol)
    assert(slot !== undefined, `${symbol} is an instrument`)
    return slot
  }

  return {
    head() {
      const { n, t } = memory.head()
      return { n, t }
    },
    latest(symbol) {
      const slot = slotOf(symbol)
      const kind = memory.kinds[slot]
      if (kind === undefined) return undefined
      const { id, scale } = instruments.list[slot]!
      const { sourceMs, units, seq } = memory.newest
      return {
        symbol,
        symbolId: id,
        price: price(BigInt(units[slot]!)),
        scale,
        sourceMs: sourceMs[slot]!,
        seq: seq[slot]!,
        kind,
      }
    },
    provenUntil(symbol) {
      return Math.max(memory.newest.sourceMs[slotOf(symbol)]! - 1, memory.head().t - OLDEST_MS - 1)
    },
    status: (symbol) => statusOf(instruments.list[slotOf(symbol)]!, slotOf(symbol)),
    kind: (symbol) => memory.kinds[slotOf(symbol)] ?? kindOf(feed.kind),
  }

  function statusOf(instrument: Instrument, slot: number): SymbolStatus {
    const missing = feed.missing(instrument)
    if (missing !== undefined) return { status: 'unavailable', reason: missing }
    const last = memory.newest.sourceMs[slot]!
    if (last === 0) return { status: 'stale', reason: 'No price has arrived yet.' }
    // Right after the feed changed, the newest tick is still from the old one.
    if (memory.kinds[slot] !== kindOf(feed.kind))
      return { status: 'stale', reason: 'No price of the new source has arrived yet.' }
    if (clock.now() - last > instrument.staleAfterMs) {
      const seconds = Math.round(instrument.staleAfterMs / 1000)
      return { status: 'stale', reason: `No price for more than ${seconds} seconds.` }
    }
    return { status: 'open' }
  }
}
