import { type ReactNode, useId } from 'react'
import { Skeleton } from '#web/ui/index.ts'
import styles from './receipt-frame.module.css'

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
