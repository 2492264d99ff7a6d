import type { ReactNode } from 'react'
import styles from './figures-table.module.css'

interface FiguresTableProps {
  label: string
  children: ReactNode
}

/** A table of figures with a line of totals. Columns are aligned to their end; cells with `data-text` to their start. */
export function FiguresTable({ label, children }: FiguresTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={styles.scroll} tabIndex={0} aria-label={label}>
      <table className={styles.table}>{children}</table>
    </section>
  )
}

/** Small print in a cell. */
export const Quiet = ({ children }: { children: ReactNode }) => <span className={styles.quiet}>{children}</span>
