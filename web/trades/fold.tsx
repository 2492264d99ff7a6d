import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { cx } from '#web/ui/index.ts'
import styles from './fold.module.css'

interface FoldProps {
  icon: ReactNode
  title: string
  hint: string
  /** Whether it's open, and what opens it, where something else than a press does. */
  state?: [boolean, (isOpen: boolean) => void]
  /** Something is wrong in it. */
  isRed?: boolean
  /** Gets whether it's open: what costs a request waits until then. */
  children: (isOpen: boolean) => ReactNode
}

/** A part that is folded until it's asked for. */
export function Fold({ icon, title, hint, state, isRed, children }: FoldProps) {
  const own = useState(false)
  const [isOpen, setOpen] = state ?? own
  return (
    <details
      className={cx(styles.fold, isRed && styles.red)}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className={styles.head}>
        {icon}
        <strong>{title}</strong>
        <span className={styles.hint}>{hint}</span>
        <ChevronRight className={styles.arrow} aria-hidden />
      </summary>
      <div className={styles.body}>{children(isOpen)}</div>
    </details>
  )
}
