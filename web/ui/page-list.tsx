import type { ReactNode } from 'react'
import { Card } from './page.tsx'
import { ListEnd, ListError, type ListErrorProps, RecordList, type RecordListProps } from './record-list.tsx'
import { SkeletonRows } from './skeleton.tsx'

/** A list that is read a page at a time, as `usePages` of `web/api` answers it. */
interface Pages<T> {
  rows: readonly T[]
  isPending: boolean
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
}

interface PageListProps<T> extends Omit<RecordListProps<T>, 'rows'> {
  pages: Pages<T>
  /** What one row is: `deposit`. */
  of: string
  /** Why the list could not be read, as `problemOf` of `web/api` answers it. */
  problem: Omit<ListErrorProps, 'message'> | undefined
  /** What the reader is told then. */
  problemText: string
  /** What stands in the place of a list without rows. */
  empty: ReactNode
}

/** A list in each of its states: being read, there, with more to come, empty, not readable. */
export function PageList<T>({ pages, of, problem, problemText, empty, ...list }: PageListProps<T>) {
  const { rows } = pages
  if (pages.isPending && !problem) return <SkeletonRows rows={8} label={`Reading your ${of}s`} />
  return (
    <>
      {problem && <ListError {...problem} message={problemText} />}
      {rows.length > 0 ? (
        <>
          <RecordList of={`${of}s`} rows={rows} {...list} />
          <ListEnd
            count={rows.length}
            of={of}
            hasMore={pages.hasNextPage}
            loading={pages.isFetchingNextPage}
            onMore={() => void pages.fetchNextPage()}
          />
        </>
      ) : problem ? null : (
        <Card>{empty}</Card>
      )}
    </>
  )
}
