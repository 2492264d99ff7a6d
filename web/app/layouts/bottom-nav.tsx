import { Link, useLocation } from 'react-router'
import { useMode } from '#web/api/index.ts'
import styles from './bottom-nav.module.css'
import { bottomEntriesOf, groupAt } from './menu.ts'

/** The bottom nav of a phone; an entry is lit in all places of its group. */
export function BottomNav() {
  const { pathname } = useLocation()
  return (
    <nav className={styles.nav} aria-label="Quick places">
      {bottomEntriesOf(useMode()).map(({ to, label, icon: Icon }) => (
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
