import type { ReactNode } from 'react'
import styles from './prose.module.css'

/** Long text: paragraphs, lists and headings with a readable line length. */
export function Prose({ children }: { children: ReactNode }) {
  return <div className={styles.prose}>{children}</div>
}
