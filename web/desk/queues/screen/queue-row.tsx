import { Flag, Hand, Lock } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '#web/ui/index.ts'
import { type QueueItem, waited } from './item.ts'
import styles from './queue.module.css'

interface RowProps {
  item: QueueItem
  since: string | undefined
  now: number
  here: boolean
  words: ReactNode
  figure?: ReactNode
  onClick: () => void
}

/** An item in the list of its queue. */
export function QueueRow({ item, since, now, here, words, figure, onClick }: RowProps) {
  return (
    <button
      type="button"
      className={cx(styles.row, here && styles.here)}
      aria-current={here || undefined}
      onClick={onClick}
    >
      <span className={styles.rowLine}>
        <span className={styles.person}>{item.email || item.name}</span>
        <span className={styles.figure}>{figure}</span>
      </span>
      <span className={styles.rowLine}>
        <span className={styles.words}>{words}</span>
        <span className={styles.signs}>
          {item.flags.length > 0 && <Flag className={styles.flag} aria-label="Needs a closer look" />}
          {item.own && <Lock aria-label="Your own item" />}
          {item.claimed_by && (
            <Hand
              className={item.claimed_by.mine ? styles.mine : undefined}
              aria-label={item.claimed_by.mine ? 'Claimed by you' : `Claimed by ${item.claimed_by.email}`}
            />
          )}
          {since === undefined ? item.status : waited(since, now)}
        </span>
      </span>
    </button>
  )
}
