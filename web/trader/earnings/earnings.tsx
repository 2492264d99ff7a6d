import { TrendingUp } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { Link } from 'react-router'
import type { Profit } from '#contract/trading.ts'
import { problemOf, queryClient, usePages, useScreen, useTrades } from '#web/api/index.ts'
import {
  buttonClass,
  CardLine,
  type Column,
  EmptyState,
  formatDate,
  formatUsd,
  formatUsdSigned,
  PageList,
  serialNumber,
} from '#web/ui/index.ts'
import styles from './earnings.module.css'
import { ProfitChart } from './profit-chart.tsx'
import { profitLine } from './profit-line.ts'

/** Profits of won live trades, newest first. */
export function Earnings() {
  const isMobile = useScreen() === 'mobile'
  const profits = usePages('GET /profit')
  const problem = problemOf(profits)
  const points = useMemo(() => profitLine(profits.rows), [profits.rows])
  const won = useTrades().list.filter((trade) => trade.status === 'Won').length
  // biome-ignore lint/correctness/useExhaustiveDependencies: another won trade makes the list stale
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: ['GET /profit'] })
  }, [won])

  return (
    <>
      {points.length > 1 && <ProfitChart points={points} count={profits.rows.length} />}
      <PageList
        pages={profits}
        of="earning"
        problem={problem}
        problemText="We couldn't load your earnings."
        keyOf={(row) => row.profit_id}
        columns={COLUMNS}
        asCards={isMobile}
        card={(row) => <EarningCard row={row} />}
        empty={
          <EmptyState
            icon={<TrendingUp />}
            title="You have not Earned Yet"
            actions={
              <Link to="/user/home" className={buttonClass()}>
                Go to quick trading
              </Link>
            }
          >
            Profits from your winning live trades appear here.
          </EmptyState>
        }
      />
    </>
  )
}

const COLUMNS: Column<Profit>[] = [
  serialNumber,
  { head: 'Trade ID', kind: 'name', cell: (row) => row.trade_id },
  { head: 'Amount', kind: 'figure', cell: (row) => formatUsd(row.amount) },
  {
    head: 'Profits',
    kind: 'figure',
    cell: (row) => <span className={styles.gain}>{formatUsdSigned(row.profit)}</span>,
  },
  { head: 'Earnings', kind: 'figure', cell: (row) => formatUsd(row.earnings) },
  {
    head: 'Date Earned',
    kind: 'figure',
    cell: (row) => <time dateTime={row.createdAt}>{formatDate(row.createdAt)}</time>,
  },
]

function EarningCard({ row }: { row: Profit }) {
  return (
    <>
      <CardLine>
        <strong>{row.trade_id}</strong>
        <span className={styles.gain}>{formatUsdSigned(row.profit)}</span>
      </CardLine>
      <CardLine quiet>
        <span>
          {formatUsd(row.amount)} staked, {formatUsd(row.earnings)} earned
        </span>
        <time dateTime={row.createdAt}>{formatDate(row.createdAt)}</time>
      </CardLine>
    </>
  )
}
