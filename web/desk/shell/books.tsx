import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { DeskReconciliation } from '#contract/desk/money/reconciliation.ts'
import { PAGES } from '#contract/desk/terms.ts'
import { Badge, formatDate, formatDateTime, formatTime } from '#web/ui/index.ts'
import { OFTEN_MS, queryOf } from '../api.ts'
import { useMay } from '../session.ts'
import styles from './start.module.css'

/** The last comparison of the books, for those who see it. */
function useReconciliation() {
  const sees = useMay(PAGES.reconciliation.sees)
  return useQuery({ ...queryOf('GET /desk/reconciliation', undefined, OFTEN_MS), enabled: sees })
}

const differ = ({ halt }: DeskReconciliation) => halt !== null && halt.clean_at === undefined

/** Whether amounts may be shown: not while the books differ, nor before it's known. */
export function useBooks(): 'loading' | 'balance' | 'differ' {
  const { data, isPending, isError, failureReason } = useReconciliation()
  if (data) return differ(data.data) ? 'differ' : 'balance'
  // The page of the books says that they can't be read.
  return isPending && !isError && !failureReason ? 'loading' : 'balance'
}

/** Whether the books balance, and when they were compared last. Leads to the page about it. */
export function Books() {
  const data = useReconciliation().data?.data
  if (!data) return null
  return (
    <Link to="/reconciliation" className={styles.books}>
      {differ(data) ? (
        <Badge tone="down">Books differ, checked {timeOf(data.halt?.found_at)}</Badge>
      ) : data.halt ? (
        <Badge tone="warn">Books balance, checked {timeOf(data.halt.clean_at)}; payouts halted</Badge>
      ) : data.last ? (
        <Badge tone="up">Books balance, checked {timeOf(data.last.finished_at)}</Badge>
      ) : (
        <Badge>Books not checked yet</Badge>
      )}
    </Link>
  )
}

/** The time of day; with its date if that isn't today's. */
function timeOf(time: string | undefined): string {
  if (time === undefined) return ''
  return formatDate(time) === formatDate(Date.now()) ? formatTime(time) : formatDateTime(time)
}
