import { Bell } from 'lucide-react'
import { Popover } from '#web/ui/index.ts'
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
    <Popover
      button={
        <>
          <Bell aria-hidden />
          {unread > 0 && (
            <span className={styles.count} aria-hidden>
              {countWord(unread)}
            </span>
          )}
          <span className="visually-hidden">Notifications{unread > 0 ? `, ${unread} unread` : ''}</span>
        </>
      }
      buttonClass={styles.bell}
      title="Notifications"
      className={styles.popup}
      open={open}
      onOpenChange={onOpenChange}
    >
      <NoticesList notices={notices} onFollow={() => onOpenChange(false)} />
    </Popover>
  )
}
