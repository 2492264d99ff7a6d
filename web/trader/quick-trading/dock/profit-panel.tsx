import { useQuery } from '@tanstack/react-query'
import { ArrowRight } from 'lucide-react'
import { useEffect } from 'react'
import { Link } from 'react-router'
import type { Mode, TradeResults } from '#contract/trading/trading.ts'
import {
  hitRateOf,
  mergeTrades,
  NEWEST_TRADES,
  type Problem,
  problemOf,
  queryClient,
  queryOf,
  type Trade,
  tradeOf,
  withoutSold,
} from '#web/api/index.ts'
import {
  Change,
  formatDate,
  formatPercent,
  formatTime,
  ListError,
  profitOf,
  RECENT_TRADES,
  Side,
  SkeletonRows,
  StatusBadge,
} from '#web/ui/index.ts'
import { ResetDemo } from '../reset-demo.tsx'
import { isProfit, newestFirst } from './last-profits.ts'
import styles from './profit-panel.module.css'

const PROFITS = 2

interface ProfitPanelProps {
  mode: Mode
  trades: readonly Trade[]
  initialised: boolean
  /** The figures of the trades that ended today, if any did. */
  today: TradeResults | undefined
}

/** The latest profits, the last two trades, and links to more. */
export function ProfitPanel({ mode, trades, initialised, today }: ProfitPanelProps) {
  const recent = trades.slice(0, RECENT_TRADES)
  return (
    <aside className={styles.panel} aria-label="Profits and recent trades">
      <section>
        <div className={styles.head}>
          <h2 className={styles.title}>Last profits</h2>
          {mode === 'real' ? (
            <Link className={styles.more} to="/user/earnings">
              Profits
              <ArrowRight aria-hidden />
            </Link>
          ) : (
            <ResetDemo className={styles.reset} />
          )}
        </div>
        {mode === 'demo' ? <DemoProfits trades={trades} initialised={initialised} /> : <RealProfits trades={trades} />}
      </section>
      <section>
        <div className={styles.head}>
          <h2 className={styles.title}>Last trades</h2>
          <Link className={styles.more} to="/user/trade-history">
            Trade history
            <ArrowRight aria-hidden />
          </Link>
        </div>
        {!initialised ? (
          <SkeletonRows rows={RECENT_TRADES} label="Loading your last trades" />
        ) : recent.length === 0 ? (
          <p className={styles.none}>No trades yet.</p>
        ) : (
          <ul className={styles.list}>
            {recent.map((trade) => (
              <li key={trade.trade_id} className={styles.row}>
                <span className={styles.name}>
                  <Side side={trade.side} quiet /> {trade.symbol}
                </span>
                {trade.status === 'Pending' ? <StatusBadge status="Pending" /> : <Change amount={profitOf(trade)} />}
              </li>
            ))}
          </ul>
        )}
      </section>
      {today && <TodayLine today={today} />}
    </aside>
  )
}

/** The net result of the day, and the hit rate next to the one that breaks even. */
function TodayLine({ today }: { today: TradeResults }) {
  const rate = hitRateOf(today)
  return (
    <p className={styles.today}>
      Today <Change amount={today.net} />
      {rate && (
        <>
          : {today.won} of {rate.decided} won, {formatPercent(rate.percent)}
          {withoutSold(today)}.{' '}
          <span className={styles.unbroken}>Break-even {formatPercent(today.break_even ?? 0)}.</span>
        </>
      )}
    </p>
  )
}

interface ProfitRow {
  id: string
  symbol: string
  profit: number
  time: string
}

const WON = { mode: 'demo', status: 'Won', limit: String(PROFITS) } as const
/** Some of them were sold at a loss. */
const SOLD = { mode: 'demo', status: 'Sold', limit: String(NEWEST_TRADES) } as const

/** In demo mode: the demo trades with a profit. */
function DemoProfits({ trades, initialised }: { trades: readonly Trade[]; initialised: boolean }) {
  // Older trades than the list holds are read only if it may lack some with a profit.
  const enabled = initialised && trades.length >= NEWEST_TRADES
  const won = useQuery({ ...queryOf('GET /trading', { query: WON }), enabled })
  const sold = useQuery({ ...queryOf('GET /trading', { query: SOLD }), enabled })
  const older = won.data && sold.data && [...won.data.data, ...sold.data.data].map(tradeOf)
  const rows = mergeTrades(older ?? [], trades)
    .filter(isProfit)
    .map((trade) => ({
      id: trade.trade_id,
      symbol: trade.symbol,
      profit: profitOf(trade) ?? 0,
      time: trade.settled_at ?? trade.end_time,
    }))
  return (
    <Rows rows={older || (initialised && !enabled) ? rows : undefined} problem={problemOf(won) ?? problemOf(sold)} />
  )
}

/** In real mode: the profit list, reloaded whenever a trade brings a profit. */
function RealProfits({ trades }: { trades: readonly Trade[] }) {
  const newest = useQuery(queryOf('GET /profit', { query: { limit: String(PROFITS) } }))
  const profits = trades.filter(isProfit).length
  // biome-ignore lint/correctness/useExhaustiveDependencies: another profit makes the list stale
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: ['GET /profit'] })
  }, [profits])
  const rows = newest.data?.data.map(({ profit_id, symbol, profit, createdAt }) => ({
    id: profit_id,
    symbol,
    profit,
    time: createdAt,
  }))
  return <Rows rows={rows} problem={problemOf(newest)} />
}

function Rows({ rows, problem }: { rows: readonly ProfitRow[] | undefined; problem: Problem | undefined }) {
  if (!rows && problem) return <ListError {...problem} message="We couldn't load your profits." />
  if (!rows) return <SkeletonRows rows={PROFITS} label="Loading your last profits" />
  if (rows.length === 0) return <p className={styles.none}>Profits from your winning trades appear here.</p>
  return (
    <ul className={styles.list}>
      {newestFirst(rows)
        .slice(0, PROFITS)
        .map((row) => (
          <li key={row.id} className={styles.row}>
            <span className={styles.name}>{row.symbol}</span>
            <time className={styles.time} dateTime={row.time}>
              {formatDate(row.time)} <span className={styles.clock}>{formatTime(row.time).slice(0, 5)}</span>
            </time>
            <Change amount={row.profit} />
          </li>
        ))}
    </ul>
  )
}
