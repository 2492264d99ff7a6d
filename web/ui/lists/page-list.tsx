import type { ReactNode } from 'react'
import { SkeletonRows } from '../feedback/skeleton.tsx'
import { Card } from '../page.tsx'
import { ListEnd, ListError, type ListErrorProps, pluralOf, RecordList, type RecordListProps } from './record-list.tsx'

/** A paged list, as returned by `usePages` of `web/api`. */
interface Pages<T> {
  rows: readonly T[]
  isPending: boolean
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
  archivedBefore?: string | undefined
}

interface PageListProps<T> extends Omit<RecordListProps<T>, 'rows'> {
  pages: Pages<T>
  /** The singular name of a row: `deposit`. */
  of: string
  /** Why the list couldn't be loaded, as returned by `problemOf` of `web/api`. */
  problem: Omit<ListErrorProps, 'message'> | undefined
  /** The message shown in that case. */
  problemText: string
  /** Shown when the list has no rows. */
  empty: ReactNode
}

/** A list in every state: loading, loaded, with more pages, empty, failed. */
export function PageList<T>({ pages, of, problem, problemText, empty, ...list }: PageListProps<T>) {
  const { rows } = pages
  if (pages.isPending && !problem) return <SkeletonRows rows={8} label={`Loading your ${pluralOf(of)}`} />
  const end = (
    <ListEnd
      count={rows.length}
      of={of}
      hasMore={pages.hasNextPage}
      loading={pages.isFetchingNextPage}
      onMore={() => void pages.fetchNextPage()}
      archivedBefore={pages.archivedBefore}
    />
  )
  return (
    <>
      {problem && <ListError {...problem} message={problemText} />}
      {rows.length > 0 ? (
        <>
          <RecordList of={pluralOf(of)} rows={rows} {...list} />
          {end}
        </>
      ) : problem ? null : (
        <>
          <Card>{empty}</Card>
          {pages.archivedBefore && end}
        </>
      )}
    </>
  )
}
