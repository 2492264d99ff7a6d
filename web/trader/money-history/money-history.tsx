import { type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import type { Deposit, Withdrawal } from '#contract/money/cashier.ts'
import { problemOf, useDetailsId, usePages, useScreen } from '#web/api/index.ts'
import {
  CardLine,
  type Column,
  EmptyState,
  formatDate,
  formatTime,
  formatUsd,
  ListError,
  MoneyStatus,
  PageList,
  toast,
} from '#web/ui/index.ts'

interface Rows {
  'GET /deposit': Deposit
  'GET /withdraw': Withdrawal
}

/** The reply with one row. */
interface One<T> {
  status: true
  message?: string | undefined
  data: T
}

interface MoneyHistoryProps<K extends keyof Rows> {
  list: K
  /** The singular name of a row, and of the address's parameter that names one: `deposit`. */
  of: string
  /** The query for one row, which may be older than those listed. */
  one: (id: string) => UseQueryOptions<One<Rows[K]>>
  idOf: (row: Rows[K]) => string
  columns: (rows: readonly Rows[K][]) => Column<Rows[K]>[]
  /** A second line on a phone's card, between the amount and the time. */
  cardLine?: (row: Rows[K]) => ReactNode
  empty: { icon: ReactNode; title: string; text: string; action: ReactNode }
  details: (row: Rows[K] | undefined, onClose: () => void) => ReactNode
}

/**
 * A trader's deposits or withdrawals, newest first, updated live. A row opens its details, and so does a notification's
 * link.
 */
export function MoneyHistory<K extends keyof Rows>(props: MoneyHistoryProps<K>) {
  const { list, of, idOf, one, cardLine, empty } = props
  const isMobile = useScreen() === 'mobile'
  const pages = usePages(list)
  const rows = pages.rows as Rows[K][]
  const problem = problemOf(pages)
  const message = problem?.message
  const [openId, setOpenId] = useDetailsId(of)
  const listed = rows.find((row) => idOf(row) === openId)
  const read = useQuery({ ...one(openId ?? ''), enabled: openId !== undefined && !listed })
  const details = listed ?? (openId === undefined ? undefined : read.data?.data)
  const detailsProblem = details ? undefined : problemOf(read)
  useEffect(() => {
    if (message !== undefined) toast.error(message)
  }, [message])

  return (
    <>
      {detailsProblem && <ListError {...detailsProblem} />}
      <PageList
        pages={{ ...pages, rows }}
        of={of}
        problem={problem}
        problemText={`We couldn't load your ${of}s.`}
        keyOf={idOf}
        columns={props.columns(rows)}
        asCards={isMobile}
        card={(row) => <MoneyCard id={idOf(row)} row={row} line={cardLine?.(row)} />}
        onOpen={(row) => setOpenId(idOf(row))}
        openLabel={(row) => `Details of ${of} ${idOf(row)}`}
        empty={
          <EmptyState icon={empty.icon} title={empty.title} actions={empty.action}>
            {empty.text}
          </EmptyState>
        }
      />
      {props.details(details, () => setOpenId(undefined))}
    </>
  )
}

/** Phones show ID, amount and time. */
function MoneyCard({ id, row, line }: { id: string; row: Deposit | Withdrawal; line: ReactNode }) {
  return (
    <>
      <CardLine>
        <strong>{id}</strong>
        <strong>{formatUsd(row.amount)}</strong>
      </CardLine>
      {line}
      <CardLine quiet>
        <time dateTime={row.createdAt}>
          {formatDate(row.createdAt)} {formatTime(row.createdAt)}
        </time>
        <MoneyStatus status={row.status} />
      </CardLine>
    </>
  )
}
