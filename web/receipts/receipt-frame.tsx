import { type ReactNode, useId } from 'react'
import type { Trade } from '#web/api/index.ts'
import { Skeleton } from '#web/ui/index.ts'
import styles from './receipt-frame.module.css'

export interface ReceiptProps {
  trade: Trade
  /** Whether the details are open: nothing is read before. */
  isOpen: boolean
  /** Whether it can be seen. */
  isUnfolded: boolean
  onChecked: (isGenuine: boolean) => void
}

/** The section 'Receipt' of a trade's details. */
export function ReceiptFrame({ children }: { children: ReactNode }) {
  const id = useId()
  return (
    <section className={styles.frame} aria-labelledby={id}>
      <h3 className={styles.title} id={id}>
        Receipt
      </h3>
      {children}
    </section>
  )
}

/** As tall as a receipt, so that nothing moves when it arrives. */
export function ReceiptSkeleton() {
  return (
    <div className={styles.skeleton} role="status">
      <span className="visually-hidden">Loading the receipt</span>
      <Skeleton kind="block" />
    </div>
  )
}
