import {
  ArrowDownToLine,
  ArrowUpFromLine,
  BadgeCheck,
  BellRing,
  Bot,
  CandlestickChart,
  CircleUser,
  Clock,
  Hourglass,
  Layers,
  type LucideIcon,
  ShieldCheck,
} from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Link, useNavigate } from 'react-router'
import type { Notice } from '#contract/messages/notices.ts'
import { goLive, problemOf } from '#web/api/index.ts'
import { cx, formatDate, formatTime, ListError, SkeletonRows } from '#web/ui/index.ts'
import styles from './notices.module.css'
import { markRead, type useNotices } from './use-notices.ts'

const ICONS: Record<Notice['kind'], LucideIcon> = {
  deposit: ArrowDownToLine,
  withdraw: ArrowUpFromLine,
  verification: BadgeCheck,
  plan: Layers,
  security: ShieldCheck,
  account: CircleUser,
  trade: CandlestickChart,
  automatic: Bot,
  alert: BellRing,
  'trade-ending': Hourglass,
  'trade-settled': CandlestickChart,
  order: Clock,
}

/** These notices, and the pages they link to, exist in real mode only. */
const REAL_ONLY: readonly Notice['kind'][] = ['deposit', 'withdraw', 'plan']

interface NoticesListProps {
  notices: ReturnType<typeof useNotices>
  /** Called when the trader opens a notice's link. */
  onFollow: () => void
}

/** The newest notices. Opening the list marks them as read; new ones stay highlighted until it closes. */
export function NoticesList({ notices, onFollow }: NoticesListProps) {
  const { data } = notices
  const problem = problemOf(notices)
  const wereNew = useRef(new Set<string>())
  const newest = data?.data[0]?.id
  const unread = data?.unread ?? 0
  for (const notice of data?.data ?? []) if (!notice.read) wereNew.current.add(notice.id)

  useEffect(() => {
    if (newest !== undefined && unread > 0) void markRead(newest)
  }, [newest, unread])

  if (problem && !data) return <ListError {...problem} />
  if (!data) return <SkeletonRows rows={4} label="Loading your notifications" />
  if (data.data.length === 0) {
    return (
      <>
        <p className={styles.none}>
          Nothing yet. We'll notify you here and by e-mail about your money, identity and account.
        </p>
        <Foot onFollow={onFollow} />
      </>
    )
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling list must be reachable by keyboard */}
      <ul className={styles.list} tabIndex={0} aria-label="Notifications, newest first">
        {data.data.map((notice) => (
          <li key={notice.id}>
            <Row notice={notice} isNew={wereNew.current.has(notice.id)} onFollow={onFollow} />
          </li>
        ))}
      </ul>
      <Foot onFollow={onFollow} />
    </>
  )
}

const Foot = ({ onFollow }: Pick<NoticesListProps, 'onFollow'>) => (
  <p className={styles.foot}>
    <Link to="/user/alerts" onClick={onFollow}>
      Alerts
    </Link>
    <Link to="/user/notifications" onClick={onFollow}>
      Settings
    </Link>
  </p>
)

function Row({ notice, isNew, onFollow }: { notice: Notice; isNew: boolean; onFollow: () => void }) {
  const Icon = ICONS[notice.kind]
  const navigate = useNavigate()
  const words = (
    <>
      <span className={styles.sign} aria-hidden>
        <Icon />
      </span>
      <span className={styles.words}>
        <span className={styles.head}>
          {notice.title}
          {isNew && <span className="visually-hidden"> (new)</span>}
        </span>
        <span className={styles.text}>{notice.text}</span>
        <time className={styles.at} dateTime={notice.at}>
          {formatDate(notice.at)} {formatTime(notice.at)}
        </time>
      </span>
    </>
  )
  const look = cx(styles.row, isNew && styles.new)
  return notice.path === '' ? (
    <div className={look}>{words}</div>
  ) : (
    <Link
      to={notice.path}
      className={look}
      onClick={(event) => {
        if (REAL_ONLY.includes(notice.kind)) {
          event.preventDefault()
          goLive(() => navigate(notice.path))
        }
        onFollow()
      }}
    >
      {words}
    </Link>
  )
}
