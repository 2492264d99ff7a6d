import { Bell, FileDown, LogOut, MessageCircle, Search, X } from 'lucide-react'
import { NavLink } from 'react-router'
import { useIsGuest, useMode } from '#web/api/index.ts'
import { openSearch } from '#web/markets/index.ts'
import { useUnread } from '#web/trader/notices/index.ts'
import { openStatement } from '#web/trader/statement/index.ts'
import { Brand, Button, keepToastsBelow, useDialog, useLingering } from '#web/ui/index.ts'
import { ModeToggle } from '../header/mode-toggle.tsx'
import { useSignOut } from '../header/sign-out-button.tsx'
import { ThemeToggle } from '../header/theme-toggle.tsx'
import { WalletDetails } from '../header/wallet.tsx'
import { openLiveChat } from '../live-chat.ts'
import { groupsOf } from './menu.ts'
import styles from './slide-menu.module.css'

interface SlideMenuProps {
  open: boolean
  onClose: () => void
  onNotices: () => void
}

/** The phone's menu: slides in from the left in 500 ms, closes on the backdrop, Escape, Back and every navigation. */
export function SlideMenu({ open, ...does }: SlideMenuProps) {
  const { onClose } = does
  return (
    <dialog className={styles.menu} aria-label="Menu" {...useDialog(open, onClose)}>
      {useLingering(open) && <Content {...does} />}
    </dialog>
  )
}

function Content({ onClose, onNotices }: Omit<SlideMenuProps, 'open'>) {
  const { signOutHere, busy } = useSignOut()
  return (
    <div ref={keepToastsBelow} className={styles.panel}>
      <div className={styles.head}>
        <Brand />
        <Button look="quiet" icon aria-label="Close menu" onClick={onClose}>
          <X aria-hidden />
        </Button>
      </div>
      <WalletDetails />
      <ModeToggle wide />
      <Entries onClose={onClose} onNotices={onNotices} />
      {groupsOf(useMode()).map((group) => (
        <nav key={group.label} aria-label={group.label}>
          <h2 className={styles.group}>
            <group.icon aria-hidden />
            {group.label}
          </h2>
          {group.entries.map((entry) => (
            <NavLink key={entry.to} to={entry.to} className={styles.entry} onClick={onClose}>
              {entry.label}
            </NavLink>
          ))}
        </nav>
      ))}
      <div className={styles.foot}>
        <ThemeToggle />
        <Button look="quiet" loading={busy} onClick={signOutHere}>
          <LogOut aria-hidden />
          Logout
        </Button>
      </div>
    </div>
  )
}

/** What opens something else than a screen. */
function Entries({ onClose, onNotices }: Omit<SlideMenuProps, 'open'>) {
  const unread = useUnread()
  const isGuest = useIsGuest()
  return (
    <div>
      <SearchEntry onClose={onClose} />
      <button
        type="button"
        className={styles.entry}
        onClick={() => {
          onClose()
          onNotices()
        }}
      >
        <Bell aria-hidden />
        Notifications
        {unread > 0 && (
          <span className={styles.unread}>
            {unread}
            <span className="visually-hidden"> unread</span>
          </span>
        )}
      </button>
      {!isGuest && (
        <button
          type="button"
          className={styles.entry}
          onClick={() => {
            onClose()
            openStatement()
          }}
        >
          <FileDown aria-hidden />
          Statement
        </button>
      )}
      <button
        type="button"
        className={styles.entry}
        data-chat
        onClick={(event) => {
          onClose()
          void openLiveChat(event)
        }}
      >
        <MessageCircle aria-hidden />
        Live Chat
      </button>
    </div>
  )
}

const SearchEntry = ({ onClose }: { onClose: () => void }) => (
  <button
    type="button"
    className={styles.entry}
    onClick={() => {
      onClose()
      openSearch()
    }}
  >
    <Search aria-hidden />
    Search
  </button>
)
