import { Link, useLocation } from 'react-router'
import { useMode } from '#web/api/index.ts'
import { cx } from '#web/ui/index.ts'
import { useDepositsOpen } from '../header/use-deposits-open.ts'
import styles from './bottom-nav.module.css'
import { bottomEntriesOf, groupAt } from './menu.ts'

/** A bar whose only link is the current page is useless, so it is hidden. */
export function useHasBottomNav(): boolean {
  const { pathname } = useLocation()
  const entries = bottomEntriesOf(useMode())
  return entries.length > 1 || entries[0]?.to !== pathname.replace(/\/+$/, '')
}

/**
 * The phone's bottom navigation; an entry is highlighted on all pages of its group. A single entry becomes a full-width
 * button.
 */
export function BottomNav() {
  const { pathname } = useLocation()
  const entries = bottomEntriesOf(useMode())
  const deposits = useDepositsOpen()
  if (!useHasBottomNav()) return null
  return (
    <nav className={cx(styles.nav, entries.length === 1 && styles.single)} aria-label="Quick links">
      {entries.map(({ to, label, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          className={styles.item}
          aria-current={pathname === to ? 'page' : groupAt(pathname) === groupAt(to) ? 'true' : undefined}
        >
          <Icon aria-hidden />
          {to === '/user/deposit' && deposits !== undefined && (
            <span className={styles.count}>
              {deposits}
              <span className="visually-hidden"> in progress</span>
            </span>
          )}
          <span>{label}</span>
        </Link>
      ))}
    </nav>
  )
}
