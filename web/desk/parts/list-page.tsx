import { useInfiniteQuery } from '@tanstack/react-query'
import { Download, SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { problemOf } from '#web/client/index.ts'
import {
  Button,
  type Column,
  EmptyState,
  ListEnd,
  ListError,
  Page,
  pluralOf,
  RecordList,
  SkeletonRows,
} from '#web/ui/index.ts'
import { OFTEN_MS } from '../api.ts'
import { DeskTitle } from './desk-title.tsx'
import { saveCsv } from './save-csv.ts'
import { useNarrow } from './use-widths.ts'

interface Answer<T> {
  data: T[]
  next_cursor?: string | undefined
}

interface ListPageProps<T> {
  title: string
  intro?: ReactNode
  /** The singular name of a row: `user`. */
  of: string
  /** Path below `/api`, also used for the CSV export. */
  path: string
  /** The filters as sent; empty ones are omitted. */
  filter: Record<string, string>
  filters?: ReactNode
  read: (query: Record<string, string>, signal: AbortSignal) => Promise<Answer<T>>
  keyOf: (row: T) => string
  columns: readonly Column<T>[]
  card: (row: T) => ReactNode
  onOpen?: (row: T) => void
  openLabel?: (row: T) => string
  /** Shown between the filters and the rows. */
  children?: ReactNode
}

/** A list page: filters above, paged rows, and an export of the whole list as CSV. */
export function ListPage<T>(props: ListPageProps<T>) {
  const { title, intro, of, path, filters, read, children } = props
  const filter = Object.fromEntries(Object.entries(props.filter).filter(([, value]) => value !== ''))
  const narrow = useNarrow()
  const list = useInfiniteQuery({
    queryKey: ['list', path, filter],
    queryFn: ({ pageParam, signal }) => read({ ...filter, ...(pageParam === '' ? {} : { cursor: pageParam }) }, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: OFTEN_MS,
  })
  const problem = problemOf(list)
  const rows = list.data?.pages.flatMap((page) => page.data) ?? []
  return (
    <Page
      title={title}
      intro={intro}
      actions={
        <Button look="secondary" onClick={() => void saveCsv(path, filter)}>
          <Download aria-hidden /> CSV
        </Button>
      }
    >
      <DeskTitle>{title}</DeskTitle>
      {filters}
      {children}
      {problem && <ListError {...problem} />}
      {list.isPending && !problem ? (
        <SkeletonRows rows={8} label={`Loading ${pluralOf(of)}`} />
      ) : rows.length === 0 ? (
        !problem && (
          <EmptyState icon={<SearchX />} title={`No ${pluralOf(of)} found`}>
            {Object.keys(filter).length > 0 ? 'Try other filters.' : 'New rows appear here automatically.'}
          </EmptyState>
        )
      ) : (
        <>
          <RecordList
            of={pluralOf(of)}
            rows={rows}
            keyOf={props.keyOf}
            columns={props.columns}
            asCards={narrow}
            scrolls
            card={props.card}
            {...(props.onOpen ? { onOpen: props.onOpen } : {})}
            {...(props.openLabel ? { openLabel: props.openLabel } : {})}
          />
          <ListEnd
            count={rows.length}
            of={of}
            hasMore={list.hasNextPage}
            loading={list.isFetchingNextPage}
            onMore={() => void list.fetchNextPage()}
          />
        </>
      )}
    </Page>
  )
}
