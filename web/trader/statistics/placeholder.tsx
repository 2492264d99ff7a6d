import { Skeleton } from '#web/ui/index.ts'
import figures from './figures.module.css'
import styles from './statistics.module.css'

/** Blocks in the places of the figures and charts, in their sizes. */
export function Placeholder() {
  return (
    <>
      <div className={figures.figures} role="status">
        <span className="visually-hidden">Loading your statistics</span>
        {[1, 2, 3, 4, 5].map((n) => (
          <span key={n} className={figures.figure}>
            <Skeleton kind="short" />
            <Skeleton />
            <Skeleton kind="short" />
          </span>
        ))}
      </div>
      <div className={styles.two}>
        <div className={styles.panel}>
          <Skeleton kind="block" className={styles.blockCurve} />
        </div>
        <div className={styles.panel}>
          <Skeleton kind="block" className={styles.blockCurve} />
        </div>
      </div>
      <div className={styles.three}>
        {[1, 2, 3].map((n) => (
          <div key={n} className={styles.panel}>
            <Skeleton kind="block" className={styles.blockPanel} />
          </div>
        ))}
      </div>
    </>
  )
}
