import { useQuery } from '@tanstack/react-query'
import { CircleCheckBig, Download, Keyboard } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import type { DeskInboxItem, INBOX_FILTERS } from '#contract/desk/inbox.ts'
import { type ClaimedQueue, type DONE_STEPS, QUEUES, type Queue, type QueueTerms } from '#contract/desk/terms.ts'
import type { OperatorRole } from '#contract/terms.ts'
import { problemOf } from '#web/client/index.ts'
import {
  Badge,
  Button,
  cx,
  EmptyState,
  formatDateTime,
  formatUsd,
  ListError,
  SkeletonRows,
  toast,
} from '#web/ui/index.ts'
import { OFTEN_MS, queryOf } from '../api.ts'
import { saveCsv } from '../parts/save-csv.ts'
import { type ShortcutRow, Shortcuts } from '../parts/shortcuts.tsx'
import { useAction } from '../parts/use-action.ts'
import { useNow } from '../parts/use-now.ts'
import { QUEUE_SCREENS } from '../queues/index.ts'
import { pendingTerms, useRoles } from '../queues/pending.ts'
import { waited } from '../queues/screen/item.ts'
import { setClaim } from '../queues/screen/queue-calls.ts'
import { QueueLinks } from '../queues/screen/queue-links.tsx'
import { useKeys } from '../queues/screen/use-keys.ts'
import styles from './inbox.module.css'
import { PLACES } from './places.ts'

type Only = (typeof INBOX_FILTERS)[number]

const keyOf = ({ queue, id }: DeskInboxItem) => `${queue} ${id}`

/** Where an item is decided. */
function pathOf({ queue, id }: DeskInboxItem): string {
  const path = pendingTerms(queue)?.path ?? '/'
  return queue in QUEUES ? `${path}/${id}` : path
}

/** What isn't a queue has the icon of the page that decides it. */
const iconOf = (queue: string) =>
  QUEUE_SCREENS[queue as Queue]?.icon ??
  PLACES.flatMap(({ places }) => places).find(({ path }) => path === pendingTerms(queue)?.path)?.icon

/** Whether an operator with these roles may claim an item of the queue. */
function mayClaim(queue: string, roles: readonly OperatorRole[]): queue is ClaimedQueue {
  const terms: QueueTerms | undefined = QUEUES[queue as Queue]
  return terms?.work === 'claimed' && terms.acts.some((role) => roles.includes(role))
}

/** Pending work of all queues, by due time, or only what needs a second person. j and k move, c claims, Enter opens. */
export function Inbox({ only }: { only?: Only | undefined }) {
  const inbox = useQuery(queryOf('GET /desk/inbox', { query: { only } }, OFTEN_MS))
  const [helpOpen, setHelpOpen] = useState(false)
  const [selected, setSelected] = useState<string>()
  const now = useNow(30_000)
  const items = inbox.data?.data ?? []
  const at = items.findIndex((item) => keyOf(item) === selected)
  const problem = problemOf(inbox)

  function select(place: number) {
    const item = items[Math.max(0, Math.min(items.length - 1, place))]
    if (item) setSelected(keyOf(item))
  }
  const { act } = useAction((message) => toast.error(message))
  const roles = useRoles()
  function claim() {
    const item = items[at]
    if (!item || !mayClaim(item.queue, roles)) return
    const { queue, id, claimed_by } = item
    void act(async () => (await setClaim(queue, claimed_by?.mine ? 'release' : 'claim', id)).message)
  }
  useKeys({
    j: () => select(at + 1),
    k: () => select(at < 0 ? 0 : at - 1),
    c: claim,
    '?': () => setHelpOpen(true),
  })

  return (
    <section className={styles.inbox} aria-labelledby="inbox">
      <Head only={only} onHelp={() => setHelpOpen(true)} />
      <div className={styles.filters}>
        {only === 'second' ? (
          <QueueLinks work="proposed" here={undefined} />
        ) : (
          <QueueLinks
            work="claimed"
            here={only}
            overdue={only ? undefined : items.filter((one) => one.overdue).length}
          />
        )}
      </div>
      {problem && <ListError {...problem} />}
      {inbox.isPending && !problem && <SkeletonRows rows={6} label="Loading the inbox" />}
      {inbox.data &&
        (items.length === 0 ? (
          <EmptyState icon={<CircleCheckBig />} title={EMPTY[only ?? 'all']}>
            <LastDone />
          </EmptyState>
        ) : (
          <ul className={styles.rows}>
            {items.map((item, place) => (
              <Row key={keyOf(item)} item={item} now={now} here={place === at} />
            ))}
          </ul>
        ))}
      <Shortcuts rows={KEYS} open={helpOpen} onClose={() => setHelpOpen(false)} />
    </section>
  )
}

const EMPTY = {
  all: 'Nothing is due',
  overdue: 'Nothing is overdue',
  mine: 'You have claimed nothing',
  second: 'Nothing waits for a second person',
} as const satisfies Record<Only | 'all', string>

const STEPS = {
  approve: 'approved',
  reject: 'rejected',
  paid: 'marked as paid',
  reply: 'answered',
  close: 'closed',
  assign: 'assigned',
  keep: 'kept on hold',
} as const satisfies Record<(typeof DONE_STEPS)[number], string>

/** The newest step that an operator has done, from the call that the frame makes anyway. */
function LastDone() {
  const done = useQuery(queryOf('GET /desk/overview', undefined, OFTEN_MS)).data?.data.last_done
  if (!done) return 'New items appear here automatically.'
  const { queue, id, user_id, step, at, by } = done
  return (
    <>
      Last done:{' '}
      <Link to={`/${queue}/${id}${user_id ? `?user=${user_id}` : ''}`}>{pendingTerms(queue)?.of ?? queue}</Link>{' '}
      {STEPS[step]} by {by.mine ? 'you' : by.email}, {formatDateTime(at)}.
    </>
  )
}

const KEYS: readonly ShortcutRow[] = [
  [['j', 'k'], 'Next item, previous item'],
  [['c'], 'Claim or release'],
  [['Enter'], 'Open the item'],
]

const Head = ({ only, onHelp }: { only: Only | undefined; onHelp: () => void }) => (
  <div className={styles.head}>
    <h2 id="inbox" className={styles.title}>
      {only === 'second' ? 'Waiting' : 'Inbox'} <span className={styles.by}>by due time</span>
    </h2>
    <p className={styles.keys}>
      <kbd>j</kbd> <kbd>k</kbd> move <kbd>c</kbd> claim <kbd>Enter</kbd> open <kbd>1–8</kbd> filter
    </p>
    <Button look="quiet" size="small" icon aria-label="Keyboard shortcuts" onClick={onHelp}>
      <Keyboard aria-hidden />
    </Button>
    <Button
      look="quiet"
      size="small"
      icon
      aria-label="Export the inbox as CSV"
      onClick={() => void saveCsv('/desk/inbox', only ? { only } : {})}
    >
      <Download aria-hidden />
    </Button>
  </div>
)

function Row({ item, now, here }: { item: DeskInboxItem; now: number; here: boolean }) {
  const link = useRef<HTMLAnchorElement>(null)
  // Enter opens what has the focus.
  useEffect(() => {
    if (here) link.current?.focus()
  }, [here])
  const Icon = iconOf(item.queue)
  const { claimed_by: claim } = item
  return (
    <li className={cx(styles.row, here && styles.here)} aria-current={here || undefined}>
      <Due item={item} now={now} />
      <Link ref={link} to={pathOf(item)} className={styles.item}>
        {Icon && <Icon aria-hidden />}
        <span className={styles.name}>{pendingTerms(item.queue)?.of ?? item.queue}</span>
      </Link>
      <span className={styles.what}>
        {[item.amount > 0 ? formatUsd(item.amount) : '', item.what].filter(Boolean).join(', ')}
      </span>
      <span className={styles.who}>
        {item.email !== null && item.user_id !== null && <Link to={`/users/${item.user_id}`}>{item.email}</Link>}
      </span>
      <span className={styles.badges}>
        {item.second && <Badge tone="warn">second person</Badge>}
        {claim && (
          <Badge tone={claim.mine ? 'accent' : 'neutral'}>{claim.mine ? 'you' : claim.email.split('@')[0]}</Badge>
        )}
      </span>
    </li>
  )
}

const SOON_MS = 2 * 3_600_000

function Due({ item: { due_at, overdue }, now }: { item: DeskInboxItem; now: number }) {
  const left = Date.parse(due_at) - now
  // `waited` counts from the first time to the second.
  const words =
    left < 0 ? `overdue ${waited(due_at, now)}` : `in ${waited(new Date(now).toISOString(), Date.parse(due_at))}`
  return (
    <time
      dateTime={due_at}
      className={cx(styles.due, (overdue || left < 0) && styles.late, left >= 0 && left < SOON_MS && styles.soon)}
    >
      {words}
    </time>
  )
}
