import type { Trade } from '#contract/trading.ts'
import type { Ms } from '#kernel/time.ts'
import { type FrameEvent, OLDEST_MS, type Tick } from '../prices/index.ts'
import { ENTRY_WITHIN_MS } from './trade.ts'

/** A newly accepted trade. */
export interface Watched {
  id: bigint
  userId: bigint
  symbolId: number
  /** Tape time. */
  tradeTime: Ms
  /** The trade as its owner was shown it; undefined if it hasn't been shown here. */
  shown: Trade | undefined
}

export interface Entered {
  trade: Watched
  /** Undefined if frames are missing that may have held it. */
  entry: Tick | undefined
}

/**
 * Finds the entries of newly accepted trades in the frames that pass, so that nobody has to ask the database. An entry
 * that it misses, right after a start, is found in the lists, which ask the tape.
 */
export function entryWatch() {
  let waiting = new Map<number, Watched[]>()
  /** The newest frames, oldest first: a trade's entry may pass before its acceptance is known here. */
  let recent: FrameEvent[] = []

  /** Returns the first tick after a trade if it's in this frame, the next one. */
  const firstAfter = ({ tradeTime }: Watched, tick: Tick | undefined) =>
    tick && tick.sourceMs > tradeTime ? tick : undefined
  const isInTime = ({ tradeTime }: Watched, tick: Tick) => tick.sourceMs <= tradeTime + ENTRY_WITHIN_MS
  const tickOf = ({ entries }: FrameEvent, symbolId: number) => entries.find((tick) => tick.symbolId === symbolId)

  return {
    /** Watches a trade, or returns its entry if it has passed already. */
    add(trade: Watched): Entered | undefined {
      const { symbolId, tradeTime } = trade
      const [oldest] = recent
      if (!oldest || oldest.t > tradeTime) return undefined
      for (const frame of recent) {
        const tick = frame.t > tradeTime ? firstAfter(trade, tickOf(frame, symbolId)) : undefined
        if (tick) return isInTime(trade, tick) ? { trade, entry: tick } : undefined
      }
      const list = waiting.get(symbolId)
      if (list) list.push(trade)
      else waiting.set(symbolId, [trade])
      return undefined
    },

    /** Returns the trades whose entry is in this frame. */
    frame(frame: FrameEvent): Entered[] {
      const last = recent.at(-1)
      if (last && frame.n !== last.n + 1) {
        const unknown = [...waiting.values()].flat().map((trade) => ({ trade, entry: undefined }))
        waiting = new Map()
        recent = [frame]
        return unknown
      }
      recent = recent.filter(({ t }) => t >= frame.t - ENTRY_WITHIN_MS)
      recent.push(frame)
      const entered: Entered[] = []
      for (const [symbolId, trades] of waiting) {
        const tick = tickOf(frame, symbolId)
        const still: Watched[] = []
        for (const trade of trades) {
          const first = firstAfter(trade, tick)
          if (first) {
            if (isInTime(trade, first)) entered.push({ trade, entry: first })
          } else if (frame.t <= trade.tradeTime + ENTRY_WITHIN_MS + OLDEST_MS) still.push(trade)
        }
        if (still.length === 0) waiting.delete(symbolId)
        else waiting.set(symbolId, still)
      }
      return entered
    },

    /** Trades whose entry hasn't passed yet. */
    waiting: () => [...waiting.values()].reduce((sum, trades) => sum + trades.length, 0),
  }
}
