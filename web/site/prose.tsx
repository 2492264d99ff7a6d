import type { ReactNode } from 'react'
import styles from './prose.module.css'

/** Long text: paragraphs, lists and headings at a readable measure. */
export function Prose({ children }: { children: ReactNode }) {
  return <div className={styles.prose}>{children}</div>
}
