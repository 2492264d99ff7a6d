import { ChevronDown } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useScreen } from '#web/api/index.ts'
import styles from './automatic.module.css'

interface SettingsGroupProps {
  title: string
  /** A summary of the settings, shown while the group is folded. */
  summary: string
  /** Open on a phone until it's folded by hand. */
  opens?: boolean
  /** Can be folded on wide screens too. */
  folds?: boolean
  /** A field in it is wrong: stays open. */
  isWrong: boolean
  children: ReactNode
}

/** A group of settings. On a phone, or if it folds, it can be folded to its title and a summary. */
export function SettingsGroup({ title, summary, opens = false, folds = false, isWrong, children }: SettingsGroupProps) {
  const isPhone = useScreen() === 'mobile'
  // Until `opens` changes: a start folds what is only to be read.
  const [byHand, setByHand] = useState<{ isOpen: boolean; opens: boolean }>()
  const isOpen = isWrong || (byHand?.opens === opens ? byHand.isOpen : opens)
  if (!isPhone && !folds) {
    return (
      <div className={styles.group}>
        <h3>{title}</h3>
        {children}
      </div>
    )
  }
  return (
    <details
      className={styles.foldable}
      open={isOpen}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== isOpen) setByHand({ isOpen: currentTarget.open, opens })
      }}
    >
      <summary>
        <h3>{title}</h3>
        <ChevronDown className={styles.chevron} aria-hidden />
        {!isOpen && <span className={styles.summary}>{summary}</span>}
      </summary>
      <div className={styles.group}>{children}</div>
    </details>
  )
}
