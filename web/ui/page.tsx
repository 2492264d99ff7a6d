import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import styles from './page.module.css'

interface PageProps {
  title: string
  intro?: ReactNode
  /** Shown at the end of the title's line. */
  actions?: ReactNode
  narrow?: boolean
  /** In a column next to the rest; `false` where the screen is too narrow. What is typed survives a change of width. */
  aside?: ReactNode
  children: ReactNode
}

/** An ordinary page of the user area. Screens that need all the room use `--frame-height` instead. */
export function Page({ title, intro, actions, narrow, aside, children }: PageProps) {
  return (
    <div className={cx(styles.page, narrow && styles.narrow)}>
      <div className={styles.head}>
        <div>
          <h1 className={styles.title}>{title}</h1>
          {intro && <p className={styles.intro}>{intro}</p>}
        </div>
        {actions}
      </div>
      {aside === undefined ? (
        children
      ) : (
        <div className={styles.columns}>
          <div className={styles.column}>{children}</div>
          {aside && <aside className={styles.column}>{aside}</aside>}
        </div>
      )}
    </div>
  )
}

/** A card on a page. Has a heading if it has a title. */
export function Card({ title, children, className }: { title?: string; children: ReactNode; className?: string }) {
  return (
    <section className={cx(styles.card, className)}>
      {title && <h2 className={styles.cardTitle}>{title}</h2>}
      {children}
    </section>
  )
}
