import type { PriceSource } from '#contract/prices/prices.ts'
import { HOUR_MS, type Ms, SECOND_MS } from '#kernel/time.ts'
import { simulationFeed } from '#server/prices/feeds/simulation-feed.ts'
import type { Feed, Instruments } from '#server/prices/index.ts'
import { draws } from '#tests/support/random.ts'

/** Few enough symbols that a month of them fits on a laptop. */
export const MONTH_SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'LTCUSDT', 'XRPUSDT', 'EOSUSDT'] as const

/** A symbol whose price moves in steps so large that some trades end in a draw. */
const COARSE = { symbol: 'EOSUSDT', step: 500 }
/** For each symbol, one hour in this many has a gap in its prices that voids trades. */
const SILENT_HOURS = 5
/** In one hour of this many, the source changes for the first half hour, which voids trades that span the change. */
const CHANGED_HOURS = 31

/** Returns the simulation's prices of a few symbols, with gaps and changes of source that the seed determines. */
export function monthFeed(instruments: Instruments, seed: number, now: () => Ms): Feed {
  const simulation = simulationFeed(instruments, `month ${seed}`)
  const slots = new Set(MONTH_SYMBOLS.map((symbol) => instruments.slotOf(symbol)!))

  const coarse = instruments.slotOf(COARSE.symbol)

  const isSilent = (slot: number, at: Ms): boolean => {
    const hour = Math.floor(at / HOUR_MS)
    const { below } = draws(seed + hour * 977 + slot * 131)
    if (below(SILENT_HOURS) > 0) return false
    const from = hour * HOUR_MS + below(3_500) * SECOND_MS
    return at >= from && at < from + (15 + below(75)) * SECOND_MS
  }

  return {
    ...simulation,
    get kind(): PriceSource {
      const halves = Math.floor(now() / (HOUR_MS / 2))
      return halves % (2 * CHANGED_HOURS) === 0 ? 'replay' : 'simulation'
    },
    collect(at, sink) {
      simulation.collect(at, {
        ...sink,
        state(slot, units, sourceMs) {
          if (!slots.has(slot) || isSilent(slot, at)) return
          const { step } = COARSE
          sink.state(slot, slot === coarse ? Math.round(units / step) * step : units, sourceMs)
        },
      })
    },
  }
}
