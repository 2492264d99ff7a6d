import type { Trade } from '#web/api/index.ts'
import { Modal, useLast } from '#web/ui/index.ts'
import { allRows } from './dock/dock-trades.ts'
import { Cards } from './dock/trade-list.tsx'

interface SomeTradesProps {
  trades: readonly Trade[]
  open: boolean
  scaleOf: (symbol: string) => number | undefined
  onDetails: (tradeId: string) => void
  onClose: () => void
}

/** The trades that share a label on the chart; a row opens its details. */
export default function SomeTrades({ trades, open, scaleOf, onDetails, onClose }: SomeTradesProps) {
  const shown = useLast(open ? trades : undefined) ?? []
  return (
    <Modal open={open} onClose={onClose} title={`${shown.length} trades on ${shown[0]?.symbol}`} sheet>
      <Cards rows={allRows(shown)} scaleOf={scaleOf} onDetails={onDetails} />
    </Modal>
  )
}
