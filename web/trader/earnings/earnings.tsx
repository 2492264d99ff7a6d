import { useInfiniteQuery } from '@tanstack/react-query'
import { TrendingUp } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { Link } from 'react-router'
import type { Profit } from '#contract/trading.ts'
import { call, messageOf, queryClient, useScreen, useTrades } from '#web/api/index.ts'
import {
  Alert,
  Button,
  buttonClass,
  Card,
  EmptyState,
  formatDate,
  formatUsd,
  formatUsdSigned,
  SkeletonRows,
} from '#web/ui/index.ts'
import styles from './earnings.module.css'
import { ProfitChart } from './profit-chart.tsx'
import { profitLine } from './profit-line.ts'

const PAGE = '50'

/** What won live trades brought, newest first. */
export function Earnings() {
  const isMobile = useScreen() === 'mobile'
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['GET /profit', 'pages'],
    queryFn: ({ pageParam, signal }) =>
      call('GET /profit', { query: { limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) }, signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  })
  const profits = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data])
  const points = useMemo(() => profitLine(profits), [profits])
  const won = useTrades().list.filter((trade) => trade.status === 'Won').length
  // biome-ignore lint/correctness/useExhaustiveDependencies: another won trade is what makes it old
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: ['GET /profit'] })
  }, [won])

  if (isPending) return <SkeletonRows rows={8} label="Reading your earnings" />
  return (
    <>
      {error && (
        <Alert>
          {messageOf(error)}{' '}
          <Button look="secondary" size="small" onClick={() => void refetch()}>
            Try again
          </Button>
        </Alert>
      )}
      {points.length > 1 && <ProfitChart points={points} count={profits.length} />}
      {profits.length > 0 ? (
        <>
          {isMobile ? <Cards profits={profits} /> : <Table profits={profits} />}
          <div className={styles.more} role="status">
            {hasNextPage ? (
              <Button look="secondary" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                Load more
              </Button>
            ) : (
              <p>
                {profits.length} {profits.length === 1 ? 'earning' : 'earnings'}, all shown
              </p>
            )}
          </div>
        </>
      ) : error ? null : (
        <Card>
          <EmptyState
            icon={<TrendingUp />}
            title="You have not Earned Yet"
            actions={
              <Link to="/user/home" className={buttonClass()}>
                Go to quick trading
              </Link>
            }
          >
            What your won live trades bring stands here, trade by trade.
          </EmptyState>
        </Card>
      )}
    </>
  )
}

function Table({ profits }: { profits: readonly Profit[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard
    <section className={styles.scroll} tabIndex={0} aria-label="Table of earnings">
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">S/N</th>
            <th scope="col">Trade ID</th>
            <th scope="col" className={styles.figure}>
              Amount
            </th>
            <th scope="col" className={styles.figure}>
              Profits
            </th>
            <th scope="col" className={styles.figure}>
              Earnings
            </th>
            <th scope="col" className={styles.figure}>
              Date Earned
            </th>
          </tr>
        </thead>
        <tbody>
          {profits.map((row, index) => (
            <tr key={row.profit_id}>
              <td>{index + 1}</td>
              <th scope="row">{row.trade_id}</th>
              <td className={styles.figure}>{formatUsd(row.amount)}</td>
              <td className={styles.profit}>{formatUsdSigned(row.profit)}</td>
              <td className={styles.figure}>{formatUsd(row.earnings)}</td>
              <td className={styles.figure}>
                <time dateTime={row.createdAt}>{formatDate(row.createdAt)}</time>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Cards({ profits }: { profits: readonly Profit[] }) {
  return (
    <ul className={styles.cards}>
      {profits.map((row) => (
        <li key={row.profit_id} className={styles.card}>
          <p className={styles.row}>
            <strong>{row.trade_id}</strong>
            <span className={styles.gain}>{formatUsdSigned(row.profit)}</span>
          </p>
          <p className={styles.row}>
            <span className={styles.quiet}>
              {formatUsd(row.amount)} staked, {formatUsd(row.earnings)} earned
            </span>
            <time className={styles.quiet} dateTime={row.createdAt}>
              {formatDate(row.createdAt)}
            </time>
          </p>
        </li>
      ))}
    </ul>
  )
}
