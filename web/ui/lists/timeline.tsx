import { cx } from '../cx.ts'
import { formatDateTime } from '../format.ts'
import styles from './timeline.module.css'

interface TimelineStep {
  name: string
  /** When it was done; undefined if it wasn't yet. */
  at?: string | undefined
  /** What else there is to say: who has it, by when. */
  note?: string | undefined
}

/** The steps of a request in order: done ones with their time, then the one that it is at. */
export function Timeline({ steps }: { steps: readonly TimelineStep[] }) {
  const current = steps.findIndex(({ at }) => at === undefined)
  return (
    <ol className={styles.timeline}>
      {steps.map(({ name, at, note }, n) => (
        <li
          key={name}
          className={cx(styles.step, at !== undefined && styles.done)}
          aria-current={n === current ? 'step' : undefined}
        >
          <strong>{name}</strong>
          {at !== undefined && <time dateTime={at}>{formatDateTime(at)}</time>}
          {note !== undefined && <span>{note}</span>}
        </li>
      ))}
    </ol>
  )
}
