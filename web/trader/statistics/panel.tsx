import { type ReactNode, useId } from 'react'
import styles from './statistics.module.css'

/** A part of the page with a heading and a quiet remark at its end. */
export function Panel({ title, hint, children }: { title: string; hint?: ReactNode; children: ReactNode }) {
  const id = useId()
  return (
    <section className={styles.panel} aria-labelledby={id}>
      <div className={styles.panelHead}>
        <h2 id={id}>{title}</h2>
        {hint && <span>{hint}</span>}
      </div>
      {children}
    </section>
  )
}
