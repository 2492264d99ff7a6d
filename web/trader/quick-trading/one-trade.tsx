import type { Trade } from '#web/api/index.ts'
import { ReportProblem } from '#web/complaints/index.ts'
import { TradeReceipt } from '#web/receipts/index.ts'
import { TradeDetails } from '#web/ui/index.ts'

interface OneTradeProps {
  /** `undefined` once it's closed. */
  trade: Trade | undefined
  scale: number | undefined
  onClose: () => void
}

/** The details of a trade, with its receipt, and a way to report a problem. */
export default function OneTrade({ trade, scale, onClose }: OneTradeProps) {
  return (
    <TradeDetails
      trade={trade}
      scale={scale}
      receipt={(shown, isOpen) => <TradeReceipt key={shown.trade_id} trade={shown} isOpen={isOpen} />}
      problem={({ trade_id, status }, isOpen) =>
        status === 'Pending' ? null : <ReportProblem key={trade_id} item="trade" itemId={trade_id} isOpen={isOpen} />
      }
      onClose={onClose}
    />
  )
}
