import { lazy, Suspense } from 'react'
import type { Trade } from '#web/api/index.ts'
import { ReceiptFrame, ReceiptSkeleton } from './receipt-frame.tsx'

export interface ReceiptProps {
  trade: Trade
  /** Whether the details are open: nothing is read before. */
  isOpen: boolean
  /** Whether it can be seen. */
  isUnfolded: boolean
  onChecked: (isGenuine: boolean) => void
}

const ReceiptSection = lazy(() => import('./receipt-section.tsx'))

/**
 * The receipt in a trade's details; while the trade is open, the hash of its order. Its code is loaded when it is shown, and it
 * asks for a receipt only while the details are open. It's checked even while it's folded: `onChecked` reports the result.
 */
export function TradeReceipt(props: ReceiptProps) {
  return (
    <ReceiptFrame>
      <Suspense fallback={<ReceiptSkeleton />}>
        <ReceiptSection {...props} />
      </Suspense>
    </ReceiptFrame>
  )
}
