import { lazy, Suspense } from 'react'
import type { Trade } from '#web/api/index.ts'
import { ReceiptFrame, ReceiptSkeleton } from './receipt-frame.tsx'

const ReceiptSection = lazy(() => import('./receipt-section.tsx'))

/**
 * The receipt in a settled trade's details; nothing while the trade is open. Its code is loaded when it is shown, and it
 * asks for a receipt only while the details are open.
 */
export function TradeReceipt({ trade, isOpen }: { trade: Trade; isOpen: boolean }) {
  if (trade.status === 'Pending') return null
  return (
    <ReceiptFrame>
      <Suspense fallback={<ReceiptSkeleton />}>
        <ReceiptSection trade={trade} isOpen={isOpen} />
      </Suspense>
    </ReceiptFrame>
  )
}
