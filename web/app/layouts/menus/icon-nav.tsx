import { LogOut, MessageCircle } from 'lucide-react'
import { Link, useLocation } from 'react-router'
import { useMode } from '#web/api/index.ts'
import { BrandMark, cx, figure } from '#web/ui/index.ts'
import { useSignOut } from '../header/sign-out-button.tsx'
import { useDepositsOpen } from '../header/use-deposits-open.ts'
import { openLiveChat } from '../live-chat.ts'
import styles from './icon-nav.module.css'
import { groupAt, groupsOf } from './menu.ts'
import { HOME } from './places.ts'

/** The icon navigation on the left. Each entry links to the first page of its group; the header shows the others. */
export function IconNav() {
  const current = groupAt(useLocation().pathname)
  const { signOutHere, busy } = useSignOut()
  const deposits = useDepositsOpen()
  return (
    <nav className={styles.nav} aria-label="Main">
      <Link className={styles.brand} to={HOME} aria-label={`${figure('brand')}: quick trading`}>
        <BrandMark />
      </Link>
      <ul className={styles.list}>
        {groupsOf(useMode()).map((group) => (
          <li key={group.label}>
            <Link
              className={cx(styles.item, group === current && styles.current)}
              to={group.entries[0].to}
              aria-current={group === current ? 'true' : undefined}
            >
              <group.icon aria-hidden />
              {group.label}
              {group.label === 'Deposit' && deposits !== undefined && (
                <span className={styles.count}>
                  {deposits}
                  <span className="visually-hidden"> in progress</span>
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
      <button type="button" className={cx(styles.item, styles.chat)} data-chat onClick={openLiveChat}>
        <MessageCircle aria-hidden />
        Live Chat
      </button>
      <button type="button" className={cx(styles.item, styles.logout)} onClick={signOutHere} disabled={busy}>
        <LogOut aria-hidden />
        Logout
      </button>
    </nav>
  )
}
