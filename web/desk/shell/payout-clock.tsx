import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { QUEUES } from '#contract/desk/terms.ts'
import { Card, cx, formatUsd } from '#web/ui/index.ts'
import { DUE_NAMES } from '../parts/due-names.ts'
import { useMay } from '../session.ts'
import styles from './aside.module.css'
import { useBooks } from './books.tsx'
import { businessQuery, type Days, timeText } from './business.tsx'

/** How long payouts took, and when the open ones are due. Each row opens its withdrawals. */
export function PayoutClock({ days }: { days: Days }) {
  const data = useQuery(businessQuery(days)).data?.data
  const sees = useMay(QUEUES.withdrawals.sees)
  const books = useBooks()
  if (!data) return null
  const most = Math.max(1, ...data.payouts_due.map(({ withdrawals }) => withdrawals))
  return (
    <Card title="Payout clock">
      <p className={styles.figure}>
        <strong>{data.payout_seconds === null ? '–' : timeText(data.payout_seconds)}</strong>
        <span>
          {data.payout_seconds === null ? 'nothing paid' : `median, ${days === '1' ? 'today' : `${days} days`}`}
        </span>
      </p>
      <ul className={styles.rows}>
        {data.payouts_due.map(({ due, withdrawals, approved, amount }) => {
          const title = `${books === 'balance' ? `${formatUsd(amount)}, ` : ''}${approved} of ${withdrawals} approved`
          return (
            <li key={due} className={styles.row} title={title}>
              {sees ? <Link to={`/withdrawals?due=${due}`}>{DUE_NAMES[due]}</Link> : <span>{DUE_NAMES[due]}</span>}
              <span className={styles.bar} aria-hidden>
                <span
                  className={cx(styles.part, due === 'late' && styles.sell)}
                  style={{ inlineSize: `${(100 * withdrawals) / most}%` }}
                />
              </span>
              <span>
                {withdrawals}
                <span className="visually-hidden"> open, {title}</span>
              </span>
            </li>
          )
        })}
      </ul>
      <p className={styles.note}>Pending and approved withdrawals by due time.</p>
    </Card>
  )
}
