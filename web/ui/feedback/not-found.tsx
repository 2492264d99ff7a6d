import type { ReactNode } from 'react'
import styles from './not-found.module.css'

/** The content of a not-found page, shown inside its layout; `children` are the links to continue. */
export function NotFoundMessage({ children }: { children: ReactNode }) {
  return (
    <div className={styles.place} data-not-found>
      <h1 className={styles.title}>Page not found</h1>
      <p className={styles.text}>There is no page at this address. It may have moved, or the link may be wrong.</p>
      <nav className={styles.ways} aria-label="Where to go from here">
        {children}
      </nav>
    </div>
  )
}
