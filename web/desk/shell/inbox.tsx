import { useQuery } from '@tanstack/react-query'
import { CircleCheckBig, Download } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import type { DeskInboxItem, INBOX_FILTERS } from '#contract/desk/inbox.ts'
import type { DeskOverview } from '#contract/desk/overview.ts'
import { type ClaimedQueue, QUEUES, type Queue, type QueueTerms } from '#contract/desk/terms.ts'
import type { OperatorRole } from '#contract/terms.ts'
import { problemOf } from '#web/client/index.ts'
import { Badge, Button, cx, EmptyState, formatUsd, ListError, SkeletonRows, toast } from '#web/ui/index.ts'
import { OFTEN_MS, queryOf } from '../api.ts'
import { saveCsv } from '../parts/save-csv.ts'
import { useAction } from '../parts/use-action.ts'
import { useNow } from '../parts/use-now.ts'
import { QUEUE_SCREENS } from '../queues/index.ts'
import { waited } from '../queues/screen/item.ts'
import { setClaim } from '../queues/screen/queue-calls.ts'
import { useKeys } from '../queues/screen/use-keys.ts'
import { useSession } from '../session.ts'
import styles from './inbox.module.css'
import { PLACES } from './places.ts'

type Only = (typeof INBOX_FILTERS)[number]
/** All, one of the filters, or a queue. */
type Filter = { is: 'all' } | { is: 'only'; only: Only } | { is: 'queue'; queue: string }

const NO_ROLES: readonly OperatorRole[] = []

const ONLY: { only: Only; label: string }[] = [
  { only: 'overdue', label: 'Overdue' },
  { only: 'mine', label: 'Mine' },
  { only: 'second', label: 'Second person' },
]

const queryOfFilter = (filter: Filter): { queue?: string; only?: Only } =>
  filter.is === 'queue' ? { queue: filter.queue } : filter.is === 'only' ? { only: filter.only } : {}

/** The page that decides what isn't a queue. */
const placeOf = (queue: string) => PLACES.flatMap(({ places }) => places).find((place) => place.queue === queue)
const titleOf = (queue: string) =>
  queue === 'voids' ? 'Voids' : (placeOf(queue)?.name ?? QUEUES[queue as Queue]?.title ?? queue)
const nameOf = (queue: string) =>
  (QUEUES[queue as Queue] as QueueTerms | undefined)?.of ?? (queue === 'voids' ? 'void' : 'change of settings')
const pathOf = ({ queue, id }: DeskInboxItem) => (queue in QUEUES ? `/${queue}/${id}` : (placeOf(queue)?.path ?? '/'))
const keyOf = ({ queue, id }: DeskInboxItem) => `${queue} ${id}`

/** Whether an operator with these roles may claim an item of the queue. */
function mayClaim(queue: string, roles: readonly OperatorRole[]): queue is ClaimedQueue {
  const terms: QueueTerms | undefined = QUEUES[queue as Queue]
  return terms?.work === 'claimed' && terms.acts.some((role) => roles.includes(role))
}

/** Pending work of all queues, by due time. j and k move, c claims, Enter opens. */
export function Inbox({ queues }: { queues: DeskOverview['queues'] }) {
  const [filter, setFilter] = useState<Filter>({ is: 'all' })
  const query = queryOfFilter(filter)
  const inbox = useQuery(queryOf('GET /desk/inbox', { query }, OFTEN_MS))
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
  const roles = useSession((state) => state.operator?.roles ?? NO_ROLES)
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
  })

  return (
    <section className={styles.inbox} aria-labelledby="inbox">
      <Head filter={filter} />
      <Filters
        filter={filter}
        onFilter={setFilter}
        queues={queues}
        overdue={filter.is === 'all' ? items.filter((item) => item.overdue).length : undefined}
      />
      {problem && <ListError {...problem} />}
      {inbox.isPending && !problem && <SkeletonRows rows={6} label="Loading the inbox" />}
      {inbox.data &&
        (items.length === 0 ? (
          <EmptyState icon={<CircleCheckBig />} title="Nothing waits here">
            New items appear here automatically.
          </EmptyState>
        ) : (
          <ul className={styles.rows}>
            {items.map((item, place) => (
              <Row key={keyOf(item)} item={item} now={now} here={place === at} />
            ))}
          </ul>
        ))}
    </section>
  )
}

const Head = ({ filter }: { filter: Filter }) => (
  <div className={styles.head}>
    <h2 id="inbox" className={styles.title}>
      Inbox <span className={styles.by}>by due time</span>
    </h2>
    <p className={styles.keys}>
      <kbd>j</kbd> <kbd>k</kbd> move <kbd>c</kbd> claim <kbd>Enter</kbd> open
    </p>
    <Button
      look="quiet"
      size="small"
      icon
      aria-label="Export the inbox as CSV"
      onClick={() => void saveCsv('/desk/inbox', queryOfFilter(filter))}
    >
      <Download aria-hidden />
    </Button>
  </div>
)

interface FiltersProps {
  filter: Filter
  onFilter: (filter: Filter) => void
  queues: DeskOverview['queues']
  /** Undefined if it isn't known. */
  overdue: number | undefined
}

function Filters({ filter, onFilter, queues, overdue }: FiltersProps) {
  const roles = useSession((state) => state.operator?.roles ?? [])
  const sees = (queue: string) => {
    const needed = placeOf(queue)?.roles
    return !needed || needed.some((role) => roles.includes(role))
  }
  const seen = queues.filter(({ queue, waiting }) => waiting > 0 && sees(queue))
  const sum = (of: (row: DeskOverview['queues'][number]) => number) => seen.reduce((total, row) => total + of(row), 0)
  const counts: Record<Only, number | undefined> = {
    overdue,
    mine: sum((row) => row.mine),
    second: sum((row) => row.second),
  }
  return (
    <fieldset className={styles.filters}>
      <legend className="visually-hidden">Show</legend>
      <Chip
        on={filter.is === 'all'}
        label="All"
        count={sum((row) => row.waiting)}
        onClick={() => onFilter({ is: 'all' })}
      />
      {ONLY.map(({ only, label }) => (
        <Chip
          key={only}
          on={filter.is === 'only' && filter.only === only}
          label={label}
          count={counts[only]}
          onClick={() => onFilter({ is: 'only', only })}
        />
      ))}
      {seen.map(({ queue, waiting }) => (
        <Chip
          key={queue}
          on={filter.is === 'queue' && filter.queue === queue}
          label={titleOf(queue)}
          count={waiting}
          onClick={() => onFilter({ is: 'queue', queue })}
        />
      ))}
    </fieldset>
  )
}

interface ChipProps {
  on: boolean
  label: string
  count: number | undefined
  onClick: () => void
}

const Chip = ({ on, label, count, onClick }: ChipProps) => (
  <button type="button" className={cx(styles.chip, on && styles.on)} aria-pressed={on} onClick={onClick}>
    {label} {count !== undefined && <span className={styles.count}>{count}</span>}
  </button>
)

function Row({ item, now, here }: { item: DeskInboxItem; now: number; here: boolean }) {
  const link = useRef<HTMLAnchorElement>(null)
  // Enter opens what has the focus.
  useEffect(() => {
    if (here) link.current?.focus()
  }, [here])
  const Icon = QUEUE_SCREENS[item.queue as Queue]?.icon ?? placeOf(item.queue)?.icon
  const { claimed_by: claim } = item
  return (
    <li className={cx(styles.row, here && styles.here)} aria-current={here || undefined}>
      <Due item={item} now={now} />
      <Link ref={link} to={pathOf(item)} className={styles.item}>
        {Icon && <Icon aria-hidden />}
        <span className={styles.name}>{nameOf(item.queue)}</span>
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
