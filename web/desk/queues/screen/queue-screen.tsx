import { CircleCheckBig, Download, Keyboard } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router'
import { QUEUES, type Queue, type QueueTerms, TO_DO } from '#contract/desk/terms.ts'
import { Button, Card, Choices, cx, EmptyState, ListError, SkeletonRows } from '#web/ui/index.ts'
import { DeskTitle } from '../../parts/desk-title.tsx'
import { Key } from '../../parts/key.tsx'
import { saveCsv } from '../../parts/save-csv.ts'
import { type ShortcutRow, Shortcuts } from '../../parts/shortcuts.tsx'
import { useNow } from '../../parts/use-now.ts'
import { useMay, useSession } from '../../session.ts'
import { type Action, neighbour } from './item.ts'
import styles from './queue.module.css'
import { ALL, type QueueFilter, queryOfFilter, useQueueItems } from './queue-calls.ts'
import { QueueDetail } from './queue-detail.tsx'
import { QueueLinks } from './queue-links.tsx'
import { QueueRow } from './queue-row.tsx'
import type { QueueFilterTerms, QueueScreenProps, Shown } from './queue-terms.ts'
import { useKeys } from './use-keys.ts'

/**
 * A queue: which items on top, these on the left, the selected one on the right with its actions. Built for the keyboard: j and k
 * move, c claims, every action has a shortcut key. Reloaded every few seconds, since other operators work on it too.
 */
export function QueueScreen<Q extends Queue>(props: QueueScreenProps<Q>) {
  const { queue, filters = NO_FILTERS } = props
  const { title, of, open, acts }: QueueTerms = QUEUES[queue]
  const may = useMay(acts)
  const me = useSession((state) => state.operator?.id)
  const { status, setStatus, only, setOnly, user, shownFilters, selected } = useFilter(queue, filters)
  const search = user === '' ? '' : `?user=${user}`
  const { id } = useParams()
  const navigate = useNavigate()
  const [helpOpen, setHelpOpen] = useState(false)
  const now = useNow(30_000)
  const found = useQueueItems(queue, selected, id)
  const { items, at } = found
  const chosen = items[at]
  const isEmpty = items.length === 0 && !found.list.isPending
  const waitsSince =
    props.waitsSince ?? ((item: Shown<Q>) => (open.includes(item.status) ? item.created_at : undefined))

  const show = useMoves(queue, search, found, id)
  useKeys({ '?': () => setHelpOpen(true) })

  return (
    <div className={cx(styles.queue, chosen && styles.looking, isEmpty && styles.empty)}>
      <DeskTitle>{title}</DeskTitle>
      <section className={styles.which} aria-label={title}>
        <div className={styles.top}>
          <QueueLinks work={QUEUES[queue].work} here={queue} />
          <Head queue={queue} selected={selected} onHelp={() => setHelpOpen(true)} />
          <Filters {...{ queue, status, setStatus, only, setOnly, user }} filters={shownFilters} />
        </div>
        <div className={styles.list}>
          {props.above}
          <List {...{ queue, status, found, id, now, waitsSince, show }} line={props.line} />
        </div>
      </section>
      <section className={styles.detail} aria-label={`Selected ${of}`}>
        {chosen ? (
          <QueueDetail
            key={chosen.id}
            {...props}
            {...{ may, me, now }}
            item={chosen}
            since={waitsSince(chosen)}
            onBack={() => navigate(`/${queue}${search}`)}
          />
        ) : (
          items.length > 0 && <Hint />
        )}
      </section>
      <Shortcuts
        rows={keysOf(chosen ? props.actions(chosen, me) : [])}
        open={helpOpen}
        onClose={() => setHelpOpen(false)}
      />
    </div>
  )
}

/** Which items are shown: what the address and the operator choose. */
function useFilter(queue: Queue, filters: readonly QueueFilterTerms[]) {
  const { statuses }: QueueTerms = QUEUES[queue]
  const [params] = useSearchParams()
  // A link from a user's page looks for one of that user's items, in any status.
  const user = params.get('user') ?? ''
  const [wanted, setStatus] = useState<string>()
  const linked = params.get('status')
  const status = wanted ?? (linked !== null && statuses.includes(linked) ? linked : user ? ALL : TO_DO)
  const [only, setOnly] = useState<Record<string, string>>(() => chosenIn(params, filters))
  const shownFilters = filters.filter(({ of }) => !of || of.includes(status))
  const filtered = shownFilters.flatMap(({ param }) => (only[param] ? [[param, only[param]]] : []))
  const selected: QueueFilter = { status, user, filtered: Object.fromEntries(filtered) }
  return { status, setStatus, only, setOnly, user, shownFilters, selected }
}

/** The keys of a queue, with those of the selected item. */
const keysOf = (actions: readonly Action[]): ShortcutRow[] => [
  [['j', 'k'], 'Next item, previous item'],
  [['c'], 'Claim or release'],
  ...actions.map(({ key, label }): ShortcutRow => [[key], label]),
  [['Enter'], 'Confirm, or submit what was typed'],
  [['Shift', 'Enter'], 'Start a new line in a reason'],
  [['Esc'], 'Close the form'],
]

const NO_FILTERS: readonly QueueFilterTerms[] = []

/** The filters that the address sets. */
const chosenIn = (params: URLSearchParams, filters: readonly QueueFilterTerms[]) =>
  Object.fromEntries(
    filters.flatMap(({ param, options }) => {
      const value = params.get(param)
      return value !== null && Object.hasOwn(options, value) ? [[param, value]] : []
    }),
  )

type Found<Q extends Queue> = ReturnType<typeof useQueueItems<Q>>

/** The keys j and k. Returns what selects an item. */
function useMoves<Q extends Queue>(queue: Q, search: string, { list, items, at }: Found<Q>, id: string | undefined) {
  const navigate = useNavigate()
  // Synchronous, because the next key press may come before React renders.
  const show = (item: Shown<Q> | undefined) =>
    item && navigate(`/${queue}/${item.id}${search}`, { replace: true, flushSync: true })

  // Pressed on the last loaded item while more follow: the move is made once they have loaded.
  const [movesOnFrom, setMovesOnFrom] = useState<string>()
  const following = movesOnFrom !== undefined && movesOnFrom === id ? items[at + 1] : undefined
  useEffect(() => {
    if (!following) return
    setMovesOnFrom(undefined)
    void navigate(`/${queue}/${following.id}${search}`, { replace: true })
  }, [following, navigate, queue, search])

  const isLast = at >= 0 && at === items.length - 1
  useKeys({
    j: () => (isLast && list.hasNextPage ? setMovesOnFrom(id) : show(neighbour(items, id, 1))),
    k: () => show(neighbour(items, id, -1)),
  })
  return show
}

interface ListProps<Q extends Queue> extends Omit<RowsProps<Q>, 'list' | 'items'> {
  queue: Q
  status: string
  found: Found<Q>
}

function List<Q extends Queue>({ queue, status, found: { list, items, problem }, ...rows }: ListProps<Q>) {
  if (problem && items.length === 0) return <ListError {...problem} />
  if (list.isPending) return <SkeletonRows rows={5} label={`Loading ${QUEUES[queue].title.toLowerCase()}`} />
  return (
    <>
      {problem && <ListError {...problem} />}
      {items.length === 0 ? <Empty queue={queue} status={status} /> : <Rows list={list} items={items} {...rows} />}
    </>
  )
}

interface RowsProps<Q extends Queue> extends Pick<QueueScreenProps<Q>, 'line'> {
  list: Found<Q>['list']
  items: readonly Shown<Q>[]
  /** The selected item. */
  id: string | undefined
  now: number
  waitsSince: (item: Shown<Q>) => string | undefined
  show: (item: Shown<Q>) => void
}

function Rows<Q extends Queue>({ list, items, id, now, line, waitsSince, show }: RowsProps<Q>) {
  return (
    <ul className={styles.rows}>
      {items.map((item) => (
        <li key={item.id}>
          <QueueRow
            item={item}
            since={waitsSince(item)}
            now={now}
            here={item.id === id}
            {...line(item)}
            onClick={() => show(item)}
          />
        </li>
      ))}
      {list.hasNextPage && (
        <li>
          <Button look="secondary" wide loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Load more
          </Button>
        </li>
      )}
    </ul>
  )
}

function Head({ queue, selected, onHelp }: { queue: Queue; selected: QueueFilter; onHelp: () => void }) {
  const { title } = QUEUES[queue]
  return (
    <div className={styles.head}>
      <h1 className={styles.title}>{title}</h1>
      <Button look="quiet" size="small" icon aria-label="Keyboard shortcuts" onClick={onHelp}>
        <Keyboard aria-hidden />
      </Button>
      <Button
        look="quiet"
        size="small"
        icon
        aria-label={`Export ${title.toLowerCase()} as CSV`}
        onClick={() => void saveCsv(`/desk/${queue}`, queryOfFilter(selected))}
      >
        <Download aria-hidden />
      </Button>
    </div>
  )
}

interface FiltersProps {
  queue: Queue
  filters: readonly QueueFilterTerms[]
  status: string
  setStatus: (status: string) => void
  /** What the queue's own filters select, by their parameters. */
  only: Readonly<Record<string, string>>
  setOnly: (only: Record<string, string>) => void
  user: string
}

function Filters({ queue, filters, status, setStatus, only, setOnly, user }: FiltersProps) {
  const { statuses, open, opensOthers }: QueueTerms = QUEUES[queue]
  const isOneStatus = open.length === 1 && !opensOthers
  return (
    <>
      <Choices
        label="Status"
        quiet
        value={status}
        onChange={setStatus}
        options={[
          // A single open status is all there is to do.
          ...(isOneStatus ? [] : [{ value: TO_DO, label: 'To do' }]),
          ...[...statuses, ALL].map((one) => ({
            value: isOneStatus && one === open[0] ? TO_DO : one,
            label: one,
          })),
        ]}
      />
      {filters.map(({ param, label, options }) => (
        <Choices
          key={param}
          label={label}
          quiet
          value={only[param] ?? ''}
          onChange={(value) => setOnly({ ...only, [param]: value })}
          options={[
            ...Object.entries(options).map(([value, name]) => ({ value, label: name })),
            { value: '', label: ALL, name: `${label}: all` },
          ]}
        />
      ))}
      {user !== '' && (
        <p className={styles.only}>
          Showing user {user} only. <Link to={`/${queue}`}>Show all</Link>
        </p>
      )}
    </>
  )
}

function Empty({ queue, status }: { queue: Queue; status: string }) {
  const { title }: QueueTerms = QUEUES[queue]
  const isToDo = status === TO_DO
  return (
    <Card>
      <EmptyState icon={<CircleCheckBig />} title={isToDo ? 'Nothing pending' : `No ${title.toLowerCase()} found`}>
        {isToDo ? 'New items appear here automatically.' : 'Choose another status above.'}
      </EmptyState>
    </Card>
  )
}

function Hint() {
  return (
    <p className={styles.hint}>
      Select an item, or press <Key>j</Key>.
    </p>
  )
}
