import { NavLink } from 'react-router'
import { useMode } from '#web/api/index.ts'
import styles from './bottom-nav.module.css'
import { bottomEntriesOf } from './menu.ts'

/** The bottom nav of a phone. */
export function BottomNav() {
  return (
    <nav className={styles.nav} aria-label="Quick places">
      {bottomEntriesOf(useMode()).map(({ to, label, icon: Icon }) => (
        <NavLink key={to} to={to} className={styles.item}>
          <Icon aria-hidden />
          <span>{label}</span>
        </NavLink>
      ))}
    </nav>
  )
}
