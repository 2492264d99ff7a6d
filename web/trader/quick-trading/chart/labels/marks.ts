import type { TradeSide } from '#contract/trading/trading.ts'
import type { Known, Trade } from '#web/api/index.ts'
import { formatCountdown, ifEndedNow, profitOf, type Standing, signedAmount } from '#web/ui/index.ts'
import { LINGER_MS } from '../../dock/dock-trades.ts'

/** A trade as drawn on the chart. Times are Unix ms. */
export interface Mark {
  id: string
  side: TradeSide
  /** Absent before entry. */
  entryPrice: number | undefined
  entryMs: number
  endMs: number
  /** Only set for settled trades. */
  exitPrice: number | undefined
  standing: Standing | 'entering' | 'void'
  settled: boolean
  /** Open: the change to the balance if it ended now, US dollars; absent before entry. */
  change: number | undefined
  /** Settled: the result. Open: the time left, `last known` once prices have stopped. */
  words: string
  /** Followed a strategy's signal. */
  isAuto: boolean
  /** From 1 to 0 while a settled trade fades out. */
  strength: number
}

/** How long before it disappears a settled trade fades, ms. */
const FADE_MS = 20_000

const standingOfSale = (profit: number) => (profit > 0 ? 'won' : profit < 0 ? 'lost' : 'draw')
const SETTLED = { Won: 'won', Lost: 'lost', Draw: 'draw', Void: 'void' } as const

/** Returns the marks of open and recently settled trades at `tapeMs`, and of the one that the trader has the chart show. */
export function marksOf(
  trades: readonly Trade[],
  { price, isLast }: Pick<Known, 'price' | 'isLast'>,
  tapeMs: number,
  shownId?: string,
): Mark[] {
  return trades.flatMap((trade): Mark[] => {
    const endMs = Date.parse(trade.end_time)
    const shared = {
      id: trade.trade_id,
      side: trade.side,
      entryPrice: trade.entry_price,
      entryMs: Date.parse(trade.entry_time ?? trade.trade_time),
      endMs,
      isAuto: trade.signal !== undefined,
    }
    if (trade.status === 'Pending') {
      const now = ifEndedNow(trade, price)
      const left = endMs > tapeMs ? formatCountdown(endMs - tapeMs) : 'settling'
      return [
        {
          ...shared,
          exitPrice: undefined,
          settled: false,
          standing: now?.standing ?? 'entering',
          change: now?.change,
          words: isLast ? 'last known' : left,
          strength: 1,
        },
      ]
    }
    const age = tapeMs - Date.parse(trade.settled_at ?? trade.end_time)
    const isShown = trade.trade_id === shownId
    if (age > LINGER_MS && !isShown) return []
    const profit = profitOf(trade)
    return [
      {
        ...shared,
        exitPrice: trade.exit_price,
        endMs: trade.exit_time ? Date.parse(trade.exit_time) : endMs,
        settled: true,
        standing: trade.status === 'Sold' ? standingOfSale(profit ?? 0) : SETTLED[trade.status],
        change: undefined,
        words: `${trade.signal === undefined ? '' : 'Auto · '}${trade.status} ${profit ? signedAmount(profit) : '· stake returned'}`,
        strength: isShown ? 1 : Math.min(1, Math.max(0, (LINGER_MS - age) / FADE_MS)),
      },
    ]
  })
}
