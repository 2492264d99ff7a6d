import { useInfiniteQuery } from '@tanstack/react-query'
import { BookOpen } from 'lucide-react'
import { useState } from 'react'
import type { DeskMovement as Movement } from '#contract/desk/people/users.ts'
import type { Mode } from '#contract/terms.ts'
import { problemOf } from '#web/client/index.ts'
import {
  Button,
  CardLine,
  Choices,
  type Column,
  EmptyState,
  formatDateTime,
  formatUsd,
  formatUsdSigned,
  ListEnd,
  ListError,
  RecordList,
  SkeletonRows,
} from '#web/ui/index.ts'
import { call } from '../api.ts'
import { saveCsv } from '../parts/save-csv.ts'
import { useNarrow } from '../parts/use-widths.ts'
import styles from './user-page.module.css'

const placeWords = (place: string) => place.replaceAll('_', ' ')

const COLUMNS: readonly Column<Movement>[] = [
  { head: 'No.', kind: 'quiet', cell: (row) => row.id },
  { head: 'When', cell: (row) => formatDateTime(row.at) },
  { head: 'Cause', kind: 'name', cell: (row) => row.cause.replaceAll('_', ' ') },
  { head: 'From', cell: (row) => placeWords(row.debit) },
  { head: 'To', cell: (row) => placeWords(row.credit) },
  { head: 'Amount', kind: 'figure', cell: (row) => formatUsd(row.amount) },
  { head: 'Change', kind: 'figure', cell: (row) => formatUsdSigned(row.change) },
  { head: 'Balance', kind: 'figure', cell: (row) => formatUsd(row.balance) },
]

/** All movements of one of a user's books, newest first. */
export function UserLedger({ userId }: { userId: string }) {
  const [book, setBook] = useState<Mode>('real')
  const list = useInfiniteQuery({
    queryKey: ['ledger', userId, book],
    queryFn: ({ pageParam, signal }) =>
      call('GET /desk/users/:id/ledger', {
        params: { id: userId },
        query: { book, ...(pageParam === '' ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  })
  const problem = problemOf(list)
  const rows = list.data?.pages.flatMap((page) => page.data) ?? []
  return (
    <div className={styles.stack}>
      <div className={styles.links}>
        <Choices
          label="Account"
          quiet
          value={book}
          onChange={setBook}
          options={[
            { value: 'real', label: 'Real' },
            { value: 'demo', label: 'Demo' },
          ]}
        />
        <Button look="secondary" size="small" onClick={() => void saveCsv(`/desk/users/${userId}/ledger`, { book })}>
          CSV
        </Button>
      </div>
      {problem && <ListError {...problem} />}
      {list.isPending && !problem ? (
        <SkeletonRows rows={8} label="Loading the ledger" />
      ) : rows.length === 0 ? (
        !problem && (
          <EmptyState icon={<BookOpen />} title="No movements">
            The {book} account has no movements yet.
          </EmptyState>
        )
      ) : (
        <Movements list={list} rows={rows} />
      )}
    </div>
  )
}

interface MovementsProps {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> }
  rows: readonly Movement[]
}

function Movements({ list, rows }: MovementsProps) {
  const narrow = useNarrow()
  return (
    <>
      <RecordList
        of="movements"
        rows={rows}
        keyOf={(row) => row.id}
        asCards={narrow}
        scrolls
        columns={COLUMNS}
        card={(row) => <MovementCard row={row} />}
      />
      <ListEnd
        count={rows.length}
        of="movement"
        hasMore={list.hasNextPage}
        loading={list.isFetchingNextPage}
        onMore={() => void list.fetchNextPage()}
      />
    </>
  )
}

function MovementCard({ row }: { row: Movement }) {
  return (
    <>
      <CardLine>
        <span>{row.cause.replaceAll('_', ' ')}</span>
        <span>{formatUsdSigned(row.change)}</span>
      </CardLine>
      <CardLine quiet>
        <span>{formatDateTime(row.at)}</span>
        <span>{formatUsd(row.balance)}</span>
      </CardLine>
    </>
  )
}
