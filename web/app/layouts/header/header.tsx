import { Menu } from 'lucide-react'
import { NavLink, useLocation } from 'react-router'
import { NoticesBell } from '#web/trader/notices/index.ts'
import { Button, cx, HEADER_ROOM } from '#web/ui/index.ts'
import { groupAt } from '../menus/menu.ts'
import { ConnectionBanner, useConnectionLost } from './connection-banner.tsx'
import styles from './header.module.css'
import { ModeToggle } from './mode-toggle.tsx'
import { SearchButton } from './search-button.tsx'
import { SignOutButton } from './sign-out-button.tsx'
import { Wallet } from './wallet.tsx'

interface HeaderProps {
  onMenu: () => void
  noticesOpen: boolean
  onNotices: (open: boolean) => void
}

/**
 * The header: links of the current group, a warning when the connection is lost, room for what a screen says for a
 * moment, the search, the account in use with its balance, the mode toggle, notifications, logout.
 */
export function Header({ onMenu, noticesOpen, onNotices }: HeaderProps) {
  const { pathname } = useLocation()
  const group = groupAt(pathname)
  const isLost = useConnectionLost()
  return (
    <header className={styles.header}>
      <Button className={styles.menu} look="quiet" icon aria-label="Open menu" onClick={onMenu}>
        <Menu aria-hidden />
      </Button>
      <nav className={cx(styles.places, isLost && styles.yields)} aria-label={group?.label ?? 'Screens'}>
        {group?.entries.map((entry) => (
          <NavLink key={entry.to} to={entry.to} className={styles.place} aria-label={entry.label}>
            <span className={cx(entry.short && styles.wide)}>{entry.label}</span>
            {entry.short && <span className={styles.narrow}>{entry.short}</span>}
          </NavLink>
        ))}
      </nav>
      <ConnectionBanner lost={isLost} />
      <div id={HEADER_ROOM} className={styles.room} />
      <SearchButton className={cx(styles.search, isLost && styles.small)} />
      <div className={styles.end}>
        <Wallet />
        <ModeToggle className={cx(styles.toggle, isLost && styles.yields)} />
        <NoticesBell open={noticesOpen} onOpenChange={onNotices} />
        <SignOutButton className={styles.signOut} />
      </div>
    </header>
  )
}
