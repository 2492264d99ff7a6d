import type { Ms } from '#kernel/time.ts'
import type { Instruments, Tape } from '../../../prices/index.ts'
import { ENTRY_WITHIN_MS } from '../../trade.ts'

/** Accepted trades that may be without an entry. */
interface Unentered {
  add(symbolId: number, tradeTime: Ms): void
  /**
   * Returns the symbols that may have had no tick for too long after a trade. Forgets trades whose entry is decided
   * otherwise.
   */
  takeSilent(): Silent[]
}

/** A symbol whose trades since then may have no entry, as far as the tape is proven. */
export interface Silent {
  symbolId: number
  since: Ms
  proven: Ms
}

export function createUnentered(
  tape: Pick<Tape, 'latest' | 'provenUntil'>,
  instruments: Pick<Instruments, 'byId'>,
): Unentered {
  /** When the oldest and the newest of each symbol's trades were accepted. */
  const unentered = new Map<number, { oldest: Ms; newest: Ms }>()
  return {
    add(symbolId, tradeTime) {
      const known = unentered.get(symbolId)
      if (!known) unentered.set(symbolId, { oldest: tradeTime, newest: tradeTime })
      else if (tradeTime > known.newest) known.newest = tradeTime
      else if (tradeTime < known.oldest) known.oldest = tradeTime
    },
    takeSilent() {
      const silent: Silent[] = []
      for (const [symbolId, trades] of unentered) {
        const symbol = instruments.byId(symbolId)?.symbol
        if (symbol === undefined) continue
        const newest = tape.latest(symbol)?.sourceMs ?? 0
        const proven = Math.floor(tape.provenUntil(symbol))
        // The next tick may have come too late, or not at all. The statement finds out whether one came in between.
        if (proven >= trades.oldest + ENTRY_WITHIN_MS) silent.push({ symbolId, since: trades.oldest, proven })
        const decided = Math.max(newest - 1, proven - ENTRY_WITHIN_MS)
        if (decided >= trades.newest) unentered.delete(symbolId)
        else trades.oldest = Math.max(trades.oldest, decided + 1)
      }
      return silent
    },
  }
}
