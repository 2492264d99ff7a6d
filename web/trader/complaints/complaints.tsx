import { MessageSquareWarning } from 'lucide-react'
import { Suspense } from 'react'
import { Link } from 'react-router'
import type { Complaint } from '#contract/trading/complaints.ts'
import { problemOf, usePages } from '#web/api/index.ts'
import { ComplaintSummary } from '#web/complaints/index.ts'
import { buttonClass, Card, EmptyState, ListEnd, ListError, SkeletonRows } from '#web/ui/index.ts'
import styles from './complaints.module.css'

const ITEMS: Record<Complaint['item'], string> = { trade: 'Trade', deposit: 'Deposit', withdrawal: 'Withdrawal' }

/** The trader's complaints, newest first: who is working on each and by when, the ruling, and the returned money. */
export function Complaints() {
  const pages = usePages('GET /complaints')
  const problem = problemOf(pages)
  if (pages.isPending && !problem) return <Loading />
  if (pages.rows.length === 0)
    return problem ? (
      <ListError {...problem} message="We couldn't load your complaints." />
    ) : (
      <Card>
        <EmptyState
          icon={<MessageSquareWarning />}
          title="No complaints"
          actions={
            <Link className={buttonClass({ look: 'secondary' })} to="/user/trade-history">
              Trade history
            </Link>
          }
        >
          If a trade, a deposit or a withdrawal looks wrong, open its details and choose Report a problem. We check the
          records again, and two operators decide within seven days.
        </EmptyState>
      </Card>
    )
  return (
    <Suspense fallback={<Loading />}>
      {problem && <ListError {...problem} message="We couldn't load your complaints." />}
      <ul className={styles.list}>
        {pages.rows.map((complaint) => (
          <li key={complaint.id}>
            <Card className={styles.card}>
              <ComplaintSummary
                complaint={complaint}
                title={
                  <h2 className={styles.title}>
                    {ITEMS[complaint.item]} <span className={styles.id}>{complaint.item_id}</span>
                  </h2>
                }
              />
            </Card>
          </li>
        ))}
      </ul>
      <ListEnd
        count={pages.rows.length}
        of="complaint"
        hasMore={pages.hasNextPage}
        loading={pages.isFetchingNextPage}
        onMore={() => void pages.fetchNextPage()}
      />
    </Suspense>
  )
}

const Loading = () => <SkeletonRows rows={4} label="Loading your complaints" />
