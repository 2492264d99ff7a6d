import { useInfiniteQuery } from '@tanstack/react-query'
import { ArrowLeft, CircleCheckBig, Download, Flag, Hand, Keyboard, Lock } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router'
import { problemOf } from '#web/api/problem.ts'
import { Badge, Button, Choices, cx, EmptyState, ListError, Modal, SkeletonRows } from '#web/ui/index.ts'
import { OFTEN_MS } from '../api.ts'
import { saveCsv } from '../parts/save-csv.ts'
import { useNow } from '../parts/use-now.ts'
import { Acts } from './acts.tsx'
import { type Action, isOpen, neighbour, type QueueItem, waited, whyNot } from './item.ts'
import styles from './queue.module.css'
import { useKeys } from './use-keys.ts'

interface Page<T> {
  data: T[]
  next_cursor?: string | undefined
}

interface QueueScreenProps<T extends QueueItem> {
  /** The queue's name in addresses: `deposits`. */
  queue: string
  title: string
  /** The singular name of an item. */
  of: string
  statuses: readonly string[]
  /** The status shown by default: the open items. */
  waiting: string
  read: (
    query: { limit: string; order?: 'oldest'; status?: string; user?: string; cursor?: string },
    signal: AbortSignal,
  ) => Promise<Page<T>>
  /**
   * Returns since when the item has waited for the desk, undefined if it isn't waiting. By default an open item waits
   * from its creation.
   */
  waitsSince?: (item: T) => string | undefined
  /** Whether this operator may act on this queue at all. */
  may: boolean
  /** Returns why the operator can't act on this item, for rules specific to this queue. */
  blocked?: (item: T) => string | undefined
  claim?: (id: string) => Promise<{ message: string }>
  release?: (id: string) => Promise<{ message: string }>
  /** The second line and the figure of a row. */
  line: (item: T) => { words: ReactNode; figure?: ReactNode }
  detail: (item: T) => ReactNode
  actions: (item: T) => Action[]
}

const ALL = 'All'
/** About a screenful; more are loaded while moving down the list. */
const PAGE = 20
/** The next page is loaded this many items before the end. */
const AHEAD = 3

/**
 * A queue: open items on the left, the selected one on the right with its actions. Built for the keyboard: j and k
 * move, c claims, every action has a shortcut key. Reloaded every few seconds, since other operators work on it too.
 */
export function QueueScreen<T extends QueueItem>(props: QueueScreenProps<T>) {
  const { queue, title, of, statuses, waiting, may } = props
  const [params] = useSearchParams()
  // A link from a user's page looks for one of that user's items, in any status.
  const user = params.get('user') ?? ''
  const [wanted, setStatus] = useState<string>()
  const status = wanted ?? (user ? ALL : waiting)
  const search = user === '' ? '' : `?user=${user}`
  const { id } = useParams()
  const navigate = useNavigate()
  const [helpOpen, setHelpOpen] = useState(false)
  const now = useNow(30_000)

  const list = useInfiniteQuery({
    queryKey: ['queue', queue, status, user],
    queryFn: ({ pageParam, signal }) =>
      props.read(
        {
          limit: String(PAGE),
          // Open items are processed oldest first.
          ...(status === waiting ? { order: 'oldest' as const } : {}),
          ...(status === ALL ? {} : { status }),
          ...(user === '' ? {} : { user }),
          ...(pageParam === '' ? {} : { cursor: pageParam }),
        },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: OFTEN_MS,
  })
  const problem = problemOf(list)
  const items = list.data?.pages.flatMap((page) => page.data) ?? []
  const at = items.findIndex((item) => item.id === id)
  const chosen = items[at]
  const waitsSince = props.waitsSince ?? ((item: T) => (isOpen(item) ? item.created_at : undefined))
  const nearEnd = at >= 0 && at >= items.length - AHEAD
  // The item linked from a user's page may be further down their list.
  const isFurther = id !== undefined && at < 0 && user !== ''
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = list
  // Don't keep requesting a page that failed: there is a button, and the list reloads by itself.
  const goesOn = (nearEnd || isFurther) && hasNextPage && !isFetching && !isFetchNextPageError
  useEffect(() => {
    if (goesOn) void fetchNextPage()
  }, [goesOn, fetchNextPage])

  // Synchronous, because the next key press may come before React renders.
  const show = (item: T | undefined) =>
    item && navigate(`/${queue}/${item.id}${search}`, { replace: true, flushSync: true })

  useKeys({
    j: () => show(neighbour(items, id, 1)),
    k: () => show(neighbour(items, id, -1)),
    '?': () => setHelpOpen(true),
  })

  return (
    <div className={cx(styles.queue, chosen && styles.looking)}>
      <title>{`${title} – Cleartick desk`}</title>
      <section className={styles.list} aria-label={title}>
        <div className={styles.head}>
          <h1 className={styles.title}>{title}</h1>
          <Button look="quiet" size="small" icon aria-label="Keys" onClick={() => setHelpOpen(true)}>
            <Keyboard aria-hidden />
          </Button>
          <Button
            look="quiet"
            size="small"
            icon
            aria-label={`Save these ${of}s as CSV`}
            onClick={() =>
              void saveCsv(`/desk/${queue}`, {
                ...(status === ALL ? {} : { status }),
                ...(user === '' ? {} : { user }),
              })
            }
          >
            <Download aria-hidden />
          </Button>
        </div>
        <Choices
          label="Status"
          quiet
          value={status}
          onChange={setStatus}
          options={[...statuses, ALL].map((value) => ({ value, label: value }))}
        />
        {user !== '' && (
          <p className={styles.only}>
            Only those of user {user}. <Link to={`/${queue}`}>Everyone's</Link>
          </p>
        )}
        {problem && <ListError {...problem} />}
        {list.isPending && !problem ? (
          <SkeletonRows rows={5} label={`Reading the ${of}s`} />
        ) : items.length === 0 ? (
          !problem && (
            <EmptyState icon={<CircleCheckBig />} title={status === waiting ? 'Nothing waits' : `No ${of}s here`}>
              {status === waiting ? 'New ones appear here by themselves.' : 'Choose another status above.'}
            </EmptyState>
          )
        ) : (
          <ul className={styles.rows}>
            {items.map((item) => (
              <li key={item.id}>
                <Row
                  item={item}
                  since={waitsSince(item)}
                  now={now}
                  here={item.id === id}
                  {...props.line(item)}
                  onClick={() => show(item)}
                />
              </li>
            ))}
            {list.hasNextPage && (
              <li>
                <Button
                  look="secondary"
                  wide
                  loading={list.isFetchingNextPage}
                  onClick={() => void list.fetchNextPage()}
                >
                  Load more
                </Button>
              </li>
            )}
          </ul>
        )}
      </section>
      <section className={styles.detail} aria-label={`The ${of}`}>
        {chosen ? (
          <Detail
            key={chosen.id}
            {...props}
            item={chosen}
            since={waitsSince(chosen)}
            now={now}
            onBack={() => navigate(`/${queue}${search}`)}
          />
        ) : (
          items.length > 0 && (
            <p className={styles.hint}>
              {may ? 'Choose one from the list, or press ' : 'Choose one, or press '}
              <kbd>j</kbd>.
            </p>
          )
        )}
      </section>
      <Modal open={helpOpen} onClose={() => setHelpOpen(false)} title="Keys">
        <dl className={styles.keys}>
          <div>
            <dt>
              <kbd>j</kbd> <kbd>k</kbd>
            </dt>
            <dd>Next, previous</dd>
          </div>
          <div>
            <dt>
              <kbd>c</kbd>
            </dt>
            <dd>Claim, or give back</dd>
          </div>
          {chosen &&
            props.actions(chosen).map((action) => (
              <div key={action.key}>
                <dt>
                  <kbd>{action.key}</kbd>
                </dt>
                <dd>{action.label}</dd>
              </div>
            ))}
          <div>
            <dt>
              <kbd>Esc</kbd>
            </dt>
            <dd>Leave a form</dd>
          </div>
        </dl>
      </Modal>
    </div>
  )
}

interface RowProps<T> {
  item: T
  since: string | undefined
  now: number
  here: boolean
  words: ReactNode
  figure?: ReactNode
  onClick: () => void
}

function Row<T extends QueueItem>({ item, since, now, here, words, figure, onClick }: RowProps<T>) {
  return (
    <button
      type="button"
      className={cx(styles.row, here && styles.here)}
      aria-current={here || undefined}
      onClick={onClick}
    >
      <span className={styles.rowLine}>
        <span className={styles.person}>{item.email || item.name}</span>
        <span className={styles.figure}>{figure}</span>
      </span>
      <span className={styles.rowLine}>
        <span className={styles.words}>{words}</span>
        <span className={styles.signs}>
          {item.flags.length > 0 && <Flag className={styles.flag} aria-label="Deserves a second look" />}
          {item.own && <Lock aria-label="Your own" />}
          {item.claimed_by && (
            <Hand
              className={item.claimed_by.mine ? styles.mine : undefined}
              aria-label={item.claimed_by.mine ? 'Claimed by you' : `Claimed by ${item.claimed_by.email}`}
            />
          )}
          {since === undefined ? item.status : waited(since, now)}
        </span>
      </span>
    </button>
  )
}

type DetailProps<T extends QueueItem> = QueueScreenProps<T> & {
  item: T
  since: string | undefined
  now: number
  onBack: () => void
}

function Detail<T extends QueueItem>(props: DetailProps<T>) {
  const { item, since, now, may, claim, release, detail, actions, of, onBack } = props
  const open = isOpen(item)
  const mine = item.claimed_by?.mine ?? false
  return (
    <>
      <div className={styles.detailHead}>
        <Button className={styles.back} look="quiet" size="small" onClick={onBack}>
          <ArrowLeft aria-hidden /> All {of}s
        </Button>
        <Badge tone={open ? 'accent' : 'neutral'}>{item.status}</Badge>
        {since !== undefined && <span className={styles.wait}>waits {waited(since, now)}</span>}
        {mine && <Badge tone="accent">Claimed by you</Badge>}
      </div>
      {item.flags.length > 0 && (
        <ul className={styles.flags}>
          {item.flags.map((flag) => (
            <li key={flag}>
              <Flag aria-hidden /> {flag}
            </li>
          ))}
        </ul>
      )}
      {detail(item)}
      <Acts
        actions={actions(item)}
        blocked={(may && isOpen(item) ? props.blocked?.(item) : undefined) ?? whyNot(item, may)}
        {...(open && may && !item.own && claim && release
          ? { claim: mine ? () => release(item.id) : () => claim(item.id), claimed: mine }
          : {})}
      />
    </>
  )
}
