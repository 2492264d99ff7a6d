import { ChartCandlestick, Repeat2 } from 'lucide-react'
import type { Trade } from '#web/api/index.ts'
import { TradeDetails } from '#web/trades/index.ts'
import { Button, formatDuration, formatUsd } from '#web/ui/index.ts'

interface OneTradeProps {
  /** `undefined` once it's closed. */
  trade: Trade | undefined
  scale: number | undefined
  /** The list that it was opened from. */
  among: readonly string[]
  onStep: (tradeId: string) => void
  onClose: () => void
  onShow: (trade: Trade) => void
  onRepeat: (trade: Trade) => void
}

/** The details of a trade, with ways to repeat it and to see it on the chart. */
export default function OneTrade({ trade, onShow, onRepeat, ...details }: OneTradeProps) {
  return (
    <TradeDetails
      trade={trade}
      repeat={(shown) => (
        <Button onClick={() => onRepeat(shown)}>
          <Repeat2 aria-hidden />
          {`Repeat: ${shown.side}, ${formatUsd(shown.stake)}, ${formatDuration(shown.duration)}`}
        </Button>
      )}
      more={(shown) => (
        <Button look="secondary" onClick={() => onShow(shown)}>
          <ChartCandlestick aria-hidden />
          Show on the chart
        </Button>
      )}
      {...details}
    />
  )
}
