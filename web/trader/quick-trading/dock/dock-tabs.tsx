import type { KeyboardEvent, ReactNode } from 'react'
import { must } from '#kernel/must.ts'
import { cx } from '#web/ui/index.ts'
import type { Tab } from './dock-trades.ts'
import styles from './transactions.module.css'

interface DockTabsProps {
  tab: Tab
  onTab: (tab: Tab) => void
  /** Without waiting orders, their tab isn't there. */
  counts: { open: number; closed: number; waiting: number | undefined }
}

const TABS = [
  { tab: 'open', name: 'Open' },
  { tab: 'waiting', name: 'Waiting' },
  { tab: 'closed', name: 'Closed today' },
  { tab: 'all', name: 'All' },
] as const

/** The tabs of the dock. One stop for the Tab key; arrows, Home and End choose. */
export function DockTabs({ tab, onTab, counts }: DockTabsProps) {
  const tabs = TABS.filter((one) => one.tab !== 'waiting' || counts.waiting !== undefined)
  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    const at = tabs.findIndex((one) => one.tab === tab)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    const next = must(tabs.at(to % tabs.length))
    onTab(next.tab)
    event.currentTarget.querySelector<HTMLElement>(`#dock-${next.tab}`)?.focus()
  }
  return (
    <div className={styles.tabs} role="tablist" aria-labelledby="transactions-title" onKeyDown={onKeyDown}>
      {tabs.map((one) => (
        <button
          key={one.tab}
          type="button"
          role="tab"
          id={`dock-${one.tab}`}
          className={cx(styles.tab, one.tab === tab && styles.chosen)}
          aria-selected={one.tab === tab}
          aria-controls="dock-panel"
          tabIndex={one.tab === tab ? 0 : -1}
          onClick={() => onTab(one.tab)}
        >
          {one.name}
          {one.tab !== 'all' && (counts[one.tab] ?? 0) > 0 && <span className={styles.number}> {counts[one.tab]}</span>}
        </button>
      ))}
    </div>
  )
}

/** What a tab shows. */
export function DockPanel({ tab, children }: { tab: Tab; children: ReactNode }) {
  return (
    <div className={styles.panel} role="tabpanel" id="dock-panel" aria-labelledby={`dock-${tab}`}>
      {children}
    </div>
  )
}
