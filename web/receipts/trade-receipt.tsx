import { lazy, Suspense } from 'react'
import { ReceiptFrame, type ReceiptProps, ReceiptSkeleton } from './receipt-frame.tsx'

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
