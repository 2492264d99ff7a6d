import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { CallName, Params, Query, Reply } from '#contract/api.ts'
import { call } from '../browser.ts'

/** The calls that return a paged list. */
type ListName = {
  [K in CallName]: Reply<K> extends { data: readonly unknown[]; next_cursor?: string | undefined } ? K : never
}[CallName]
export type Row<K extends ListName> = Reply<K> extends { data: readonly (infer T)[] } ? T : never
interface ListPage<K extends ListName> {
  data: Row<K>[]
  next_cursor?: string
  archived_before?: string
}
type Filter<K extends ListName> = Omit<NonNullable<Query<K>>, 'limit' | 'cursor'>

const PAGE = '50'

interface More<K extends ListName> {
  params?: Params<K>
  /** Reads the first page again this often, until there is a second one. For lists that the stream doesn't report. */
  everyMs?: number
}

/**
 * A list, 50 rows at a time, newest first. Its query key starts with the call's name, so invalidating that call also
 * invalidates this list.
 */
export function usePages<K extends ListName>(name: K, filter?: Filter<K>, { params, everyMs }: More<K> = {}) {
  const query = useInfiniteQuery({
    queryKey: [name, 'pages', filter ?? {}, ...(params ? [params] : [])],
    queryFn: ({ pageParam, signal }) => {
      const send = call as (name: K, input: unknown) => Promise<ListPage<K>>
      return send(name, {
        ...(params ? { params } : {}),
        query: { ...filter, limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      })
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval:
      everyMs === undefined ? false : ({ state }) => ((state.data?.pages.length ?? 0) < 2 ? everyMs : false),
  })
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.data) ?? [], [query.data])
  /** Rows from before this UTC day may be archived: the list lacks them. Known once its end is. */
  const archivedBefore = query.data?.pages.at(-1)?.archived_before
  return { ...query, rows, archivedBefore }
}
