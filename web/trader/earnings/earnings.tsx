import { TrendingUp } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { Link } from 'react-router'
import type { Profit } from '#contract/trading/trading.ts'
import {
  hitRateOf,
  problemOf,
  queryClient,
  timeZone,
  usePages,
  useScreen,
  useTradeResults,
  useTrades,
  withoutSold,
} from '#web/api/index.ts'
import {
  buttonClass,
  CardLine,
  Change,
  type Column,
  EmptyState,
  formatDate,
  formatPercent,
  formatUsd,
  formatUsdSigned,
  MoneyCurve,
  PageList,
  serialNumber,
} from '#web/ui/index.ts'
import styles from './earnings.module.css'
import { profitLine } from './profit-line.ts'

/** Profits of won live trades, newest first. */
export function Earnings() {
  const isMobile = useScreen() === 'mobile'
  const profits = usePages('GET /profit')
  const problem = problemOf(profits)
  const points = useMemo(() => profitLine(profits.rows), [profits.rows])
  const { list } = useTrades()
  const won = list.filter(({ status }) => status === 'Won' || status === 'Sold').length
  const settled = list.filter((trade) => trade.status !== 'Pending').length
  // biome-ignore lint/correctness/useExhaustiveDependencies: another trade that was won or sold makes the list stale
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: ['GET /profit'] })
  }, [won])

  return (
    <>
      <Net settled={settled} />
      {profits.rows.length > 0 && <p className={styles.net}>{`Dates are those in ${timeZone()}.`}</p>}
      {points.length > 1 && (
        <MoneyCurve points={points}>
          Profit over time <strong>{formatUsd(points.at(-1)?.value ?? 0)}</strong> from the {profits.rows.length}{' '}
          earnings listed
        </MoneyCurve>
      )}
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

/** Earnings list wins only; this is what all live trades brought. */
function Net({ settled }: { settled: number }) {
  const results = useTradeResults({ mode: 'real' }, settled)
  const rate = results && hitRateOf(results)
  if (!results || !rate) return null
  return (
    <p className={styles.net}>
      Net of all live trades, losses included: <Change amount={results.net} />. You won {results.won} of {rate.decided}{' '}
      ({formatPercent(rate.percent)}){withoutSold(results)}; your odds break even at{' '}
      {formatPercent(results.break_even ?? 0)}.
      {results.since && ` Counts your newest trades, since ${formatDate(results.since)}.`}
    </p>
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
