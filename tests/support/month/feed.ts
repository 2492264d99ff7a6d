import type { PriceSource } from '#contract/prices.ts'
import { HOUR_MS, type Ms, SECOND_MS } from '#kernel/time.ts'
import type { Feed, Instruments } from '#server/prices/index.ts'
import { simulationFeed } from '#server/prices/simulation-feed.ts'
import { draws } from '../random.ts'

/** Few enough that a month of them fits on a laptop. */
export const MONTH_SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'LTCUSDT', 'XRPUSDT', 'EOSUSDT'] as const

/** A symbol whose prices move in steps so large that some trades end where they began. */
const COARSE = { symbol: 'EOSUSDT', step: 500 }
/** One in this many hours of a symbol has a silence that voids trades. */
const SILENT_HOURS = 5
/** The source changes for the first half of one in this many hours, which voids the trades across it. */
const CHANGED_HOURS = 31

/** Returns the simulation's prices of a few symbols, with silences and changes of source, all by the seed. */
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
