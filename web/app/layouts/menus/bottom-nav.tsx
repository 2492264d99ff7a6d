import { Link, useLocation } from 'react-router'
import { useMode } from '#web/api/index.ts'
import { useDepositsOpen } from '../header/use-deposits-open.ts'
import styles from './bottom-nav.module.css'
import { bottomEntriesOf, groupAt } from './menu.ts'
import { HOME } from './places.ts'

const pageOf = (pathname: string): string => pathname.replace(/\/+$/, '')

/** In demo mode, the trading screen needs the room for the order. */
export function useHasBottomNav(): boolean {
  const { pathname } = useLocation()
  return useMode() === 'real' || pageOf(pathname) !== HOME
}

/** The phone's bottom navigation. On a page without an entry, the first one of its group is highlighted. */
export function BottomNav() {
  const { pathname } = useLocation()
  const entries = bottomEntriesOf(useMode())
  const page = pageOf(pathname)
  const group = groupAt(page)
  const nearest = entries.find(({ to }) => to === page) ?? entries.find(({ to }) => groupAt(to) === group)
  const deposits = useDepositsOpen()
  if (!useHasBottomNav()) return null
  return (
    <nav className={styles.nav} aria-label="Quick links">
      {entries.map(({ to, label, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          className={styles.item}
          aria-current={nearest?.to !== to ? undefined : to === page ? 'page' : 'true'}
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
