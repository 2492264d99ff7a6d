import type { Trade } from '#contract/trading/trading.ts'
import { must } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { type FrameEvent, OLDEST_MS, type Tick } from '../../../prices/index.ts'
import { ENTRY_WITHIN_MS } from '../../trade.ts'

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

const tickOf = ({ entries }: FrameEvent, symbolId: number) => entries.find((tick) => tick.symbolId === symbolId)
const isLater = (tick: Tick | undefined, { tradeTime }: Watched) => tick !== undefined && tick.sourceMs > tradeTime
/** The first tick after a trade is its entry, unless it came too late. */
const isInTime = (first: Tick, { tradeTime }: Watched) => first.sourceMs <= tradeTime + ENTRY_WITHIN_MS

/**
 * Finds the entries of newly accepted trades in the frames that pass, so that nobody has to ask the database. An entry
 * that it misses, right after a start, is found in the lists, which ask the tape.
 */
export function entryWatch() {
  let waiting = new Map<number, Watched[]>()
  /** The newest frames, oldest first: a trade's entry may pass before its acceptance is known here. */
  let recent: FrameEvent[] = []

  function keep(symbolId: number, isKept: (trade: Watched) => boolean): void {
    const kept = must(waiting.get(symbolId)).filter(isKept)
    if (kept.length === 0) waiting.delete(symbolId)
    else waiting.set(symbolId, kept)
  }

  return {
    /** Watches a trade, or returns its entry if it has passed already. */
    add(trade: Watched): Entered | undefined {
      const { symbolId, tradeTime } = trade
      const [oldest] = recent
      if (!oldest || oldest.t > tradeTime) return undefined
      for (const frame of recent) {
        const tick = frame.t > tradeTime ? tickOf(frame, symbolId) : undefined
        if (tick && isLater(tick, trade)) return isInTime(tick, trade) ? { trade, entry: tick } : undefined
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
        if (tick)
          for (const trade of trades)
            if (isLater(tick, trade) && isInTime(tick, trade)) entered.push({ trade, entry: tick })
        const isOver = ({ tradeTime }: Watched) => frame.t > tradeTime + ENTRY_WITHIN_MS + OLDEST_MS
        keep(symbolId, (trade) => !isLater(tick, trade) && !isOver(trade))
      }
      return entered
    },

    /** These trades have been settled: their entries are no longer news. */
    settled(ids: ReadonlySet<bigint>): void {
      for (const symbolId of waiting.keys()) keep(symbolId, ({ id }) => !ids.has(id))
    },

    /** Trades whose entry hasn't passed yet. */
    waiting: () => [...waiting.values()].reduce((sum, trades) => sum + trades.length, 0),
  }
}
