import { useInfiniteQuery } from '@tanstack/react-query'
import { ArrowLeft, CircleCheckBig, Download, Flag, Hand, Keyboard, Lock } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router'
import type { Reply } from '#contract/api.ts'
import { QUEUES, type Queue, type QueueTerms } from '#contract/desk/terms.ts'
import { problemOf } from '#web/client/index.ts'
import { Badge, Button, Choices, cx, EmptyState, ListError, Modal, SkeletonRows } from '#web/ui/index.ts'
import { call, OFTEN_MS } from '../api.ts'
import { DeskTitle } from '../parts/desk-title.tsx'
import { saveCsv } from '../parts/save-csv.ts'
import { useNow } from '../parts/use-now.ts'
import { useMay, useSession } from '../session.ts'
import { type Action, neighbour, type QueueItem, waited, whyNot } from './item.ts'
import { ItemActions } from './item-actions.tsx'
import styles from './queue.module.css'
import { useKeys } from './use-keys.ts'

/** An item of a queue, as its list returns it. */
export type ItemOf<Q extends Queue> = Reply<`GET /desk/${Q}`> extends { data: (infer Item)[] } ? Item : never
/** Proposals aren't claimed and carry no warnings: any operator but the proposer decides. */
type Shown<Q extends Queue> = ItemOf<Q> & QueueItem

export interface QueueScreenProps<Q extends Queue> {
  queue: Q
  /** A second filter besides the status: its query parameter, label, and label by value. */
  filter?: { param: 'kind'; label: string; options: Record<string, string> }
  /**
   * Returns since when the item has waited for the desk, undefined if it isn't waiting. By default an open item waits
   * from its creation.
   */
  waitsSince?: (item: ItemOf<Q>) => string | undefined
  /** Returns why the operator `me` can't act on this item, for rules specific to this queue. */
  blocked?: (item: ItemOf<Q>, me: string | undefined) => string | undefined
  /** The second line and the figure of a row. */
  line: (item: ItemOf<Q>) => { words: ReactNode; figure?: ReactNode }
  /** `may`: whether this operator may act on this queue at all. */
  detail: (item: ItemOf<Q>, may: boolean) => ReactNode
  actions: (item: ItemOf<Q>, me: string | undefined) => Action[]
}

interface Page<Q extends Queue> {
  data: Shown<Q>[]
  next_cursor?: string | undefined
}

interface ListQuery {
  limit: string
  order?: 'oldest'
  status?: string
  user?: string
  kind?: string
  cursor?: string
}

/** The calls that every queue has; the table of queues in the contract generates them. */
const anyCall = call as (name: string, input: object) => Promise<unknown>

async function readPage<Q extends Queue>(queue: Q, query: ListQuery, signal: AbortSignal): Promise<Page<Q>> {
  const page = (await anyCall(`GET /desk/${queue}`, { query, signal })) as Page<Q>
  return { ...page, data: page.data.map((item) => ({ ...DEFAULTS, ...item })) }
}
/** Proposals aren't claimed, and a strategy's belong to no account. */
const DEFAULTS = { claimed_by: null, flags: [], user_id: null, email: '' }

const setClaim = (queue: Queue, step: 'claim' | 'release', id: string) =>
  anyCall(`POST /desk/${queue}/:id/${step}`, { params: { id } }) as Promise<{ message: string }>

const ALL = 'All'
/** About a screenful; more are loaded while moving down the list. */
const PAGE = 20
/** The next page is loaded this many items before the end. */
const AHEAD = 3

/**
 * A queue: open items on the left, the selected one on the right with its actions. Built for the keyboard: j and k
 * move, c claims, every action has a shortcut key. Reloaded every few seconds, since other operators work on it too.
 */
export function QueueScreen<Q extends Queue>(props: QueueScreenProps<Q>) {
  const { queue } = props
  const { title, of, statuses, open, acts }: QueueTerms = QUEUES[queue]
  const several = title.toLowerCase()
  const [waiting] = open
  const may = useMay(acts)
  const me = useSession((state) => state.operator?.id)
  const [params] = useSearchParams()
  // A link from a user's page looks for one of that user's items, in any status.
  const user = params.get('user') ?? ''
  const [wanted, setStatus] = useState<string>()
  const status = wanted ?? (user ? ALL : waiting)
  const search = user === '' ? '' : `?user=${user}`
  const { filter } = props
  const [only, setOnly] = useState(ALL)
  const filtered: Record<string, string> = filter && only !== ALL ? { [filter.param]: only } : {}
  const { id } = useParams()
  const navigate = useNavigate()
  const [helpOpen, setHelpOpen] = useState(false)
  const now = useNow(30_000)

  const list = useInfiniteQuery({
    queryKey: ['queue', queue, status, user, only],
    queryFn: ({ pageParam, signal }) =>
      readPage(
        queue,
        {
          limit: String(PAGE),
          // Open items are processed oldest first.
          ...(status === waiting ? { order: 'oldest' as const } : {}),
          ...(status === ALL ? {} : { status }),
          ...(user === '' ? {} : { user }),
          ...filtered,
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
  const waitsSince =
    props.waitsSince ?? ((item: Shown<Q>) => (open.includes(item.status) ? item.created_at : undefined))
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

  useKeys({
    j: () => (at >= 0 && at === items.length - 1 && hasNextPage ? setMovesOnFrom(id) : show(neighbour(items, id, 1))),
    k: () => show(neighbour(items, id, -1)),
    '?': () => setHelpOpen(true),
  })

  return (
    <div className={cx(styles.queue, chosen && styles.looking)}>
      <DeskTitle>{title}</DeskTitle>
      <section className={styles.list} aria-label={title}>
        <div className={styles.head}>
          <h1 className={styles.title}>{title}</h1>
          <Button look="quiet" size="small" icon aria-label="Keyboard shortcuts" onClick={() => setHelpOpen(true)}>
            <Keyboard aria-hidden />
          </Button>
          <Button
            look="quiet"
            size="small"
            icon
            aria-label={`Export ${several} as CSV`}
            onClick={() =>
              void saveCsv(`/desk/${queue}`, {
                ...(status === ALL ? {} : { status }),
                ...(user === '' ? {} : { user }),
                ...filtered,
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
        {filter && (
          <Choices
            label={filter.label}
            quiet
            value={only}
            onChange={setOnly}
            options={[
              ...Object.entries(filter.options).map(([value, label]) => ({ value, label })),
              { value: ALL, label: ALL, name: `${ALL} kinds` },
            ]}
          />
        )}
        {user !== '' && (
          <p className={styles.only}>
            Showing user {user} only. <Link to={`/${queue}`}>Show all</Link>
          </p>
        )}
        {problem && <ListError {...problem} />}
        {list.isPending && !problem ? (
          <SkeletonRows rows={5} label={`Loading ${several}`} />
        ) : items.length === 0 ? (
          !problem && (
            <EmptyState
              icon={<CircleCheckBig />}
              title={status === waiting ? 'Nothing pending' : `No ${several} found`}
            >
              {status === waiting ? 'New items appear here automatically.' : 'Choose another status above.'}
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
      <section className={styles.detail} aria-label={`Selected ${of}`}>
        {chosen ? (
          <Detail
            key={chosen.id}
            {...props}
            item={chosen}
            may={may}
            me={me}
            since={waitsSince(chosen)}
            now={now}
            onBack={() => navigate(`/${queue}${search}`)}
          />
        ) : (
          items.length > 0 && (
            <p className={styles.hint}>
              Select an item, or press <kbd>j</kbd>.
            </p>
          )
        )}
      </section>
      <Modal open={helpOpen} onClose={() => setHelpOpen(false)} title="Keyboard shortcuts">
        <dl className={styles.keys}>
          <div>
            <dt>
              <kbd>j</kbd> <kbd>k</kbd>
            </dt>
            <dd>Next item, previous item</dd>
          </div>
          <div>
            <dt>
              <kbd>c</kbd>
            </dt>
            <dd>Claim or release</dd>
          </div>
          {chosen &&
            props.actions(chosen, me).map((action) => (
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
            <dd>Close the form</dd>
          </div>
        </dl>
      </Modal>
    </div>
  )
}

interface RowProps {
  item: QueueItem
  since: string | undefined
  now: number
  here: boolean
  words: ReactNode
  figure?: ReactNode
  onClick: () => void
}

function Row({ item, since, now, here, words, figure, onClick }: RowProps) {
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
          {item.flags.length > 0 && <Flag className={styles.flag} aria-label="Needs a closer look" />}
          {item.own && <Lock aria-label="Your own item" />}
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

type DetailProps<Q extends Queue> = QueueScreenProps<Q> & {
  item: Shown<Q>
  may: boolean
  me: string | undefined
  since: string | undefined
  now: number
  onBack: () => void
}

function Detail<Q extends Queue>(props: DetailProps<Q>) {
  const { queue, item, since, now, may, me, onBack } = props
  const { title, work, open: openStatuses }: QueueTerms = QUEUES[queue]
  const open = openStatuses.includes(item.status)
  const mine = item.claimed_by?.mine ?? false
  return (
    <>
      <div className={styles.detailHead}>
        <Button className={styles.back} look="quiet" size="small" onClick={onBack}>
          <ArrowLeft aria-hidden /> All {title.toLowerCase()}
        </Button>
        <Badge tone={open ? 'accent' : 'neutral'}>{item.status}</Badge>
        {since !== undefined && <span className={styles.wait}>waiting {waited(since, now)}</span>}
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
      {props.detail(item, may)}
      <ItemActions
        actions={props.actions(item, me)}
        blocked={(may && open ? props.blocked?.(item, me) : undefined) ?? whyNot(item, { may, open })}
        {...(open && may && !item.own && work === 'claimed'
          ? { claim: () => setClaim(queue, mine ? 'release' : 'claim', item.id), claimed: mine }
          : {})}
      />
    </>
  )
}
