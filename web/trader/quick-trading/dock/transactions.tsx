import { CandlestickChart } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Link } from 'react-router'
import type { WaitingOrder } from '#contract/trading/waiting.ts'
import { type Problem, type Trade, useScreen, useTapeSecond } from '#web/api/index.ts'
import { Button, ListError, SkeletonRows } from '#web/ui/index.ts'
import { DockPanel, DockTabs } from './dock-tabs.tsx'
import { allRows, firstTab, openRows, type Tab } from './dock-trades.ts'
import styles from './transactions.module.css'
import type { Today } from './use-today.ts'

/** Who has no trades yet doesn't need them. */
const TradeList = lazy(() => import('./trade-list.tsx'))
const WaitingList = lazy(() => import('../waiting/waiting-list.tsx'))
const DockFigures = lazy(() => import('./dock-figures.tsx'))

interface TransactionsProps {
  trades: readonly Trade[]
  /** The orders that wait, and those that ended last. */
  waiting: readonly WaitingOrder[]
  initialised: boolean
  problem: Problem | undefined
  /** The trades that ended today, and their figures. */
  today: Today
  /** Shows the hints of the first minute again. */
  onShowMe: (() => void) | undefined
  /** Returns the decimals of a symbol's prices. */
  scaleOf: (symbol: string) => number | undefined
  /** Moves the chart to a trade. */
  onShow: (trade: Trade) => void
  /** Fills the order with a trade's terms. */
  onRepeat: (trade: Trade) => void
  /** Opens a trade's details, from this list. */
  onDetails: (tradeId: string, among: readonly string[]) => void
}

/** The transaction history below the chart: open trades, those that ended today, and the newest ones. */
export function Transactions({
  trades,
  waiting,
  initialised,
  problem,
  today: { closed, results, closedCount },
  onShowMe,
  onDetails,
  ...actions
}: TransactionsProps) {
  const [chosen, setTab] = useState<Tab>()
  const open = openRows(trades, useTapeSecond())
  const tab = chosen === undefined || (chosen === 'waiting' && waiting.length === 0) ? firstTab(open, closed) : chosen
  const rows = tab === 'open' ? open : tab === 'closed' ? closed : allRows(trades)
  const list = {
    rows,
    asCards: useScreen() === 'mobile',
    onDetails: (id: string) => onDetails(id, idsOf(rows)),
    ...actions,
  }
  const waitingCount = waiting.filter(({ status }) => status === 'Waiting').length
  const openCount = trades.filter((trade) => trade.status === 'Pending').length
  return (
    <section className={styles.history} aria-labelledby="transactions-title">
      <div className={styles.head}>
        <h2 className={styles.title} id="transactions-title">
          Transaction history
        </h2>
        <DockTabs
          tab={tab}
          onTab={setTab}
          counts={{ open: openCount, closed: closedCount, waiting: waiting.length > 0 ? waitingCount : undefined }}
        />
        <Suspense>
          {trades.length > 0 && tab !== 'waiting' && <DockFigures tab={tab} trades={trades} today={results} />}
        </Suspense>
      </div>
      {problem && (
        <div className={styles.problem}>
          <ListError {...problem} />
        </div>
      )}
      <DockPanel tab={tab}>
        <Suspense fallback={<Loading />}>
          {tab === 'waiting' ? (
            <WaitingList orders={waiting} />
          ) : rows.length > 0 ? (
            <TradeList tab={tab} {...list}>
              {tab !== 'open' && <AllTrades />}
            </TradeList>
          ) : initialised ? (
            <Empty hasTrades={trades.length > 0} tab={tab} onShowMe={onShowMe} />
          ) : (
            !problem && <Loading />
          )}
        </Suspense>
      </DockPanel>
    </section>
  )
}

const AllTrades = () => (
  <Link className={styles.all} to="/user/trade-history">
    All trades
  </Link>
)

const idsOf = (trades: readonly Trade[]) => trades.map(({ trade_id }) => trade_id)

const Loading = () => (
  <div className={styles.loading}>
    <SkeletonRows rows={4} label="Loading your trades" />
  </div>
)

interface EmptyProps extends Pick<TransactionsProps, 'onShowMe'> {
  hasTrades: boolean
  tab: Tab
}

function Empty({ hasTrades, tab, onShowMe }: EmptyProps) {
  if (hasTrades)
    return (
      <Note title={tab === 'open' ? 'No open trades' : 'No trades closed today'}>
        {tab === 'open' ? 'A trade appears here as soon as you place it.' : 'Trades appear here when they end.'}
      </Note>
    )
  return (
    <Note
      title="No trades yet"
      action={
        onShowMe && (
          <Button look="secondary" size="small" onClick={onShowMe}>
            Show me
          </Button>
        )
      }
    >
      Choose a duration and an amount. Then buy if you expect the price to rise, or sell if you expect it to fall.
    </Note>
  )
}

function Note({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <CandlestickChart aria-hidden />
      <p className={styles.emptyTitle}>{title}</p>
      <p>{children}</p>
      {action}
    </div>
  )
}
