import { lazy, Suspense } from 'react'
import type { Trade } from '#web/api/index.ts'
import { ReceiptFrame, ReceiptSkeleton } from './receipt-frame.tsx'

const ReceiptSection = lazy(() => import('./receipt-section.tsx'))

/**
 * The receipt in a trade's details; while the trade is open, the hash of its order. Its code is loaded when it is shown, and it
 * asks for a receipt only while the details are open.
 */
export function TradeReceipt({ trade, isOpen }: { trade: Trade; isOpen: boolean }) {
  return (
    <ReceiptFrame>
      <Suspense fallback={<ReceiptSkeleton />}>
        <ReceiptSection trade={trade} isOpen={isOpen} />
      </Suspense>
    </ReceiptFrame>
  )
}
