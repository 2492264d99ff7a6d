import { Popover } from '@base-ui/react/popover'
import { Bell } from 'lucide-react'
import { keepToastsBelow } from '#web/ui/index.ts'
import { countWord } from './loaded-notices.ts'
import styles from './notices.module.css'
import { NoticesList } from './notices-list.tsx'
import { useNotices } from './use-notices.ts'

interface NoticesBellProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** The bell with the number of unread notices; it opens the list. */
export function NoticesBell({ open, onOpenChange }: NoticesBellProps) {
  const notices = useNotices()
  const unread = notices.data?.unread ?? 0
  return (
    <Popover.Root modal open={open} onOpenChange={onOpenChange}>
      <Popover.Trigger className={styles.bell}>
        <Bell aria-hidden />
        {unread > 0 && (
          <span className={styles.count} aria-hidden>
            {countWord(unread)}
          </span>
        )}
        <span className="visually-hidden">Notifications{unread > 0 ? `, ${unread} unread` : ''}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className={styles.positioner} sideOffset={8} align="end" collisionPadding={12}>
          <Popover.Popup ref={keepToastsBelow} className={styles.popup}>
            <Popover.Title className={styles.title}>Notifications</Popover.Title>
            <NoticesList notices={notices} onFollow={() => onOpenChange(false)} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
