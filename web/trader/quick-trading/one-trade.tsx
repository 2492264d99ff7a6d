import { ChartCandlestick, Repeat2 } from 'lucide-react'
import type { Trade } from '#web/api/index.ts'
import { ReportProblem } from '#web/complaints/index.ts'
import { TradeChart, TradeNote, TradeOrder, TradeReceipt } from '#web/receipts/index.ts'
import { Button, formatDuration, formatUsd, TradeDetails } from '#web/ui/index.ts'
import styles from './one-trade.module.css'
import { SellButton } from './sale/sell-button.tsx'

interface OneTradeProps {
  /** `undefined` once it's closed. */
  trade: Trade | undefined
  scale: number | undefined
  onClose: () => void
  onShow: (trade: Trade) => void
  onRepeat: (trade: Trade) => void
}

/** The details of a trade, with ways to repeat it and to see it on the chart, its receipt, and a way to report a problem. */
export default function OneTrade({ trade, scale, onClose, onShow, onRepeat }: OneTradeProps) {
  return (
    <TradeDetails
      trade={trade}
      scale={scale}
      chart={(shown, isOpen) => <TradeChart trade={shown} scale={scale} isOpen={isOpen} />}
      actions={(shown) => (
        <div className={styles.actions}>
          <SellButton trade={shown} isLarge />
          <Button onClick={() => onRepeat(shown)}>
            <Repeat2 aria-hidden />
            {`Repeat: ${shown.side}, ${formatUsd(shown.stake)}, ${formatDuration(shown.duration)}`}
          </Button>
          <Button look="secondary" onClick={() => onShow(shown)}>
            <ChartCandlestick aria-hidden />
            Show on the chart
          </Button>
        </div>
      )}
      receipt={(shown, isOpen) => <TradeReceipt trade={shown} isOpen={isOpen} />}
      order={(id, isOpen) => <TradeOrder id={id} isOpen={isOpen} />}
      note={(shown, isOpen) => <TradeNote key={shown.trade_id} trade={shown} isOpen={isOpen} />}
      problem={({ trade_id, status }, isOpen) =>
        status === 'Pending' ? null : <ReportProblem key={trade_id} item="trade" itemId={trade_id} isOpen={isOpen} />
      }
      onClose={onClose}
    />
  )
}
