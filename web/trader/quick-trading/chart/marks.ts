import type { TradeSide } from '#contract/trading.ts'
import type { Trade } from '#web/api/index.ts'
import { formatCountdown, ifEndedNow, profitOf, type Standing, signedAmount } from '#web/ui/index.ts'

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
  /** The label's text, next to the icon of its side: standing, profit, time left. */
  label: string
  /** From 1 to 0 while a settled trade fades out. */
  strength: number
}

/** How long a settled trade stays on the chart, ms, and how much of that it fades. */
export const LINGER_MS = 60_000
const FADE_MS = 20_000

const NOW_WORD = { won: 'Winning', lost: 'Losing', draw: 'Even' } as const
const SETTLED = { Won: 'won', Lost: 'lost', Draw: 'draw', Void: 'void' } as const

/** Returns the marks of open and recently settled trades at `nowMs`. */
export function marksOf(trades: readonly Trade[], price: string | undefined, nowMs: number): Mark[] {
  return trades.flatMap((trade): Mark[] => {
    const endMs = Date.parse(trade.end_time)
    const shared = {
      id: trade.trade_id,
      side: trade.side,
      entryPrice: trade.entry_price,
      entryMs: Date.parse(trade.entry_time ?? trade.trade_time),
      endMs,
    }
    if (trade.status === 'Pending') {
      const now = ifEndedNow(trade, price)
      const left = endMs > nowMs ? formatCountdown(endMs - nowMs) : 'settling'
      return [
        {
          ...shared,
          exitPrice: undefined,
          settled: false,
          standing: now?.standing ?? 'entering',
          label: `${auto(trade)}${now ? `${NOW_WORD[now.standing]} ${signedAmount(now.change)}` : 'Entering'} · ${left}`,
          strength: 1,
        },
      ]
    }
    const age = nowMs - Date.parse(trade.settled_at ?? trade.end_time)
    if (age > LINGER_MS) return []
    const profit = profitOf(trade)
    return [
      {
        ...shared,
        exitPrice: trade.exit_price,
        endMs: trade.exit_time ? Date.parse(trade.exit_time) : endMs,
        settled: true,
        standing: SETTLED[trade.status],
        label: `${auto(trade)}${trade.status} ${profit ? signedAmount(profit) : '· stake returned'}`,
        strength: Math.min(1, Math.max(0, (LINGER_MS - age) / FADE_MS)),
      },
    ]
  })
}

const auto = (trade: Trade): string => (trade.signal === undefined ? '' : 'Auto · ')
