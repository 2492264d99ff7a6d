import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { QUEUES, type Queue, type QueueTerms, TO_DO } from '#contract/desk/terms.ts'
import { problemOf } from '#web/client/index.ts'
import { call, OFTEN_MS } from '../../api.ts'
import type { Shown } from './queue-terms.ts'

interface Page<Q extends Queue> {
  data: Shown<Q>[]
  next_cursor?: string | undefined
}

type ListQuery = Record<string, string>

/** The calls that every queue has; the table of queues in the contract generates them. */
const anyCall = call as (name: string, input: object) => Promise<unknown>

async function readPage<Q extends Queue>(queue: Q, query: ListQuery, signal: AbortSignal): Promise<Page<Q>> {
  const page = (await anyCall(`GET /desk/${queue}`, { query, signal })) as Page<Q>
  return { ...page, data: page.data.map((item) => ({ ...DEFAULTS, ...item })) }
}

/** Reads a page of the open items, oldest first. The first starts with those that wait for a second person. */
async function readOpenPage<Q extends Queue>(queue: Q, query: ListQuery, signal: AbortSignal): Promise<Page<Q>> {
  const { second }: QueueTerms = QUEUES[queue]
  const oldest = { ...query, order: 'oldest' }
  const [page, first] = await Promise.all([
    readPage(queue, oldest, signal),
    second && !query.cursor ? readPage(queue, { ...oldest, ...second, limit: String(SECOND) }, signal) : undefined,
  ])
  return { ...page, data: [...(first?.data ?? []), ...page.data] }
}
/** Proposals aren't claimed, and a strategy's belong to no account. */
const DEFAULTS = { claimed_by: null, flags: [], user_id: null, email: '' }

/** Claims an item, or releases it. */
export const setClaim = (queue: Queue, step: 'claim' | 'release', id: string) =>
  anyCall(`POST /desk/${queue}/:id/${step}`, { params: { id } }) as Promise<{ message: string }>

export const ALL = 'All'
/** The most items that wait for a second person and are shown first. */
const SECOND = 100
/** About a screenful; more are loaded while moving down the list. */
const PAGE = 20
/** The next page is loaded this many items before the end. */
const AHEAD = 3

/** What a list shows: the status, the items of one user, and what the queue's own filter selects. */
export interface QueueFilter {
  status: string
  /** A user's id, or nothing. */
  user: string
  filtered: Record<string, string>
}

/** The filter as the query of the list and of its CSV file. */
export const queryOfFilter = ({ status, user, filtered }: QueueFilter) => ({
  ...(status === ALL ? {} : { status }),
  ...(user === '' ? {} : { user }),
  ...filtered,
})

/**
 * The items of a queue, reloaded every few seconds. More are loaded near the end of what is loaded; and until the item
 * `id`, to which a user's page leads, is found.
 */
export function useQueueItems<Q extends Queue>(queue: Q, filter: QueueFilter, id: string | undefined) {
  const isOpen = filter.status === TO_DO
  const list = useInfiniteQuery({
    queryKey: ['queue', queue, filter.status, filter.user, JSON.stringify(filter.filtered)],
    queryFn: ({ pageParam, signal }) =>
      (isOpen ? readOpenPage : readPage)(
        queue,
        { limit: String(PAGE), ...queryOfFilter(filter), ...(pageParam === '' ? {} : { cursor: pageParam }) },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: OFTEN_MS,
  })
  const read = list.data?.pages.flatMap((page) => page.data) ?? []
  const items = [...new Map(read.map((item) => [item.id, item])).values()]
  const at = items.findIndex((item) => item.id === id)
  const nearEnd = at >= 0 && at >= items.length - AHEAD
  const isFurther = id !== undefined && at < 0 && filter.user !== ''
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = list
  // Don't keep requesting a page that failed: there is a button, and the list reloads by itself.
  const goesOn = (nearEnd || isFurther) && hasNextPage && !isFetching && !isFetchNextPageError
  useEffect(() => {
    if (goesOn) void fetchNextPage()
  }, [goesOn, fetchNextPage])
  return { list, items, at, problem: problemOf(list) }
}
