import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import styles from './fold.module.css'

interface FoldProps {
  icon: ReactNode
  title: string
  hint: string
  /** Gets whether it's open: what costs a request waits until then. */
  children: (isOpen: boolean) => ReactNode
}

/** A part that is folded until it's asked for. */
export function Fold({ icon, title, hint, children }: FoldProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={styles.fold} onToggle={(event) => setOpen(event.currentTarget.open)}>
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
