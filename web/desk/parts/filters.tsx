import type { ReactNode } from 'react'
import styles from './filters.module.css'

/** A row of filters above a list. */
export function Filters({ children }: { children: ReactNode }) {
  return <div className={styles.filters}>{children}</div>
}
