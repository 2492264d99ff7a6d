import { cx } from '../cx.ts'
import styles from './skeleton.module.css'

/** A grey placeholder for text (`line`, `short`) or for a part (`block`, as tall as its parent). */
export function Skeleton({ kind = 'line', className }: { kind?: 'line' | 'short' | 'block'; className?: string }) {
  return <span className={cx(styles.skeleton, kind !== 'line' && styles[kind], className)} aria-hidden />
}

/** Placeholder rows of a loading list, announced once. */
export function SkeletonRows({ rows = 5, label = 'Loading' }: { rows?: number; label?: string }) {
  return (
    <div className={styles.rows} role="status">
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholder rows have no other key
        <Skeleton key={row} kind={row % 3 === 2 ? 'short' : 'line'} />
      ))}
    </div>
  )
}
