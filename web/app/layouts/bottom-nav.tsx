import { Link, useLocation } from 'react-router'
import { useMode } from '#web/api/index.ts'
import { cx } from '#web/ui/index.ts'
import styles from './bottom-nav.module.css'
import { bottomEntriesOf, groupAt } from './menu.ts'

/** A bar that leads only to where the trader is says nothing: it is left out. */
export function useHasBottomNav(): boolean {
  const { pathname } = useLocation()
  const entries = bottomEntriesOf(useMode())
  return entries.length > 1 || entries[0]?.to !== pathname.replace(/\/+$/, '')
}

/** The bottom nav of a phone; an entry is lit in all places of its group. A single one lies as a button across the bar. */
export function BottomNav() {
  const { pathname } = useLocation()
  const entries = bottomEntriesOf(useMode())
  if (!useHasBottomNav()) return null
  return (
    <nav className={cx(styles.nav, entries.length === 1 && styles.single)} aria-label="Quick places">
      {entries.map(({ to, label, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          className={styles.item}
          aria-current={pathname === to ? 'page' : groupAt(pathname) === groupAt(to) ? 'true' : undefined}
        >
          <Icon aria-hidden />
          <span>{label}</span>
        </Link>
      ))}
    </nav>
  )
}
