import { useQuery } from '@tanstack/react-query'
import { ChartCandlestick, History, Repeat2, SearchX } from 'lucide-react'
import { Link, useSearchParams } from 'react-router'
import {
  filterOf,
  isFiltered,
  problemOf,
  queryOf,
  queryOfFilter,
  type Trade,
  takeFrame,
  tradeOf,
  useDetailsId,
  useFrame,
  useMode,
  useScreen,
  useTrades,
} from '#web/api/index.ts'
import { DownloadTrades } from '#web/receipts/index.ts'
import { TradeDetails } from '#web/trades/index.ts'
import {
  Badge,
  Button,
  buttonClass,
  Card,
  EmptyState,
  formatDuration,
  formatUsd,
  ListEnd,
  ListError,
  Page,
  SkeletonRows,
  SourceBadge,
  titled,
} from '#web/ui/index.ts'
import { Filters } from './filters.tsx'
import { Totals } from './totals.tsx'
import styles from './trade-history.module.css'
import { TradeRows } from './trade-rows.tsx'
import { useTradePages } from './use-trade-pages.ts'

export const meta = () => [{ title: titled('Trade history') }]

const HOME = '/user/home'

/** All trades of the mode, newest first, updated live. */
export default function TradeHistory() {
  const mode = useMode()
  const isMobile = useScreen() === 'mobile'
  const [query, setQuery] = useSearchParams()
  const filter = filterOf(query)
  const { list: live } = useTrades()
  const pages = useTradePages(mode, filter, live)
  const { trades, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = pages
  const problem = problemOf(pages)
  const settled = live.filter((trade) => trade.status !== 'Pending').length
  const market = useQuery(queryOf('GET /prices/instruments')).data
  const instruments = market?.data ?? []
  const tags = useQuery(queryOf('GET /trading/tags', { query: { mode } })).data?.data ?? []
  const scaleOf = (symbol: string) => instruments.find((one) => one.symbol === symbol)?.scale
  const { details, detailsProblem, setDetailsId } = useDetails(trades)
  // The countdowns run on tape time, which the frames carry; the details of an open trade show what it's worth.
  const open = details?.status === 'Pending' ? details : live.find((trade) => trade.status === 'Pending')
  useFrame(open ? [open.symbol] : [], takeFrame)
  const end = (
    <ListEnd
      count={trades.length}
      of="trade"
      hasMore={hasNextPage}
      loading={isFetchingNextPage}
      onMore={() => void fetchNextPage()}
      archivedBefore={pages.archivedBefore}
    />
  )

  return (
    <Page
      title="Trade history"
      intro={
        <>
          All trades on your {mode === 'demo' ? 'demo' : 'live'} account. If one looks wrong, report it in its details.{' '}
          <Link to="/user/complaints">Your complaints</Link>
        </>
      }
      actions={
        <div className={styles.badges}>
          {(trades.length > 0 || isPending) && <DownloadTrades mode={mode} filter={filter} />}
          <Badge tone="mode">{mode === 'demo' ? 'Demo' : 'Live'}</Badge>
          <SourceBadge source={market?.source} />
        </div>
      }
    >
      <Filters
        isMobile={isMobile}
        filter={filter}
        onFilter={(next) => setQuery(queryOfFilter(next), { replace: true, preventScrollReset: true })}
        instruments={instruments}
        tags={tags}
      />
      {(trades.length > 0 || isPending) && (
        <Totals
          mode={mode}
          filter={filter}
          settled={settled}
          hasCurve={trades.filter((trade) => trade.status !== 'Pending').length > 1}
        />
      )}
      {problem && <ListError {...problem} />}
      {detailsProblem && <ListError {...detailsProblem} />}
      {isPending && !problem ? (
        <div className={styles.loading}>
          <SkeletonRows rows={10} label="Loading your trades" />
        </div>
      ) : trades.length > 0 ? (
        <>
          <TradeRows trades={trades} scaleOf={scaleOf} asCards={isMobile} onDetails={setDetailsId} />
          {end}
        </>
      ) : problem ? null : isFiltered(filter) ? (
        <NoMatch onShowAll={() => setQuery({}, { replace: true })} />
      ) : (
        <NoTrades />
      )}
      {trades.length === 0 && pages.archivedBefore && !problem && end}
      <TradeDetails
        trade={details}
        scale={details && scaleOf(details.symbol)}
        among={trades.map((trade) => trade.trade_id)}
        onStep={setDetailsId}
        repeat={(trade) => <RepeatTrade trade={trade} />}
        more={(trade) => <ShowTrade trade={trade} />}
        onClose={() => setDetailsId(undefined)}
      />
    </Page>
  )
}

/** The trade whose details are open, and how another one's are opened. A notification's link names one, of any age. */
function useDetails(trades: readonly Trade[]) {
  const [id, setDetailsId] = useDetailsId('trade')
  const listed = trades.find((trade) => trade.trade_id === id)
  const path = { params: { trade_id: id ?? '' } }
  const read = useQuery({ ...queryOf('GET /trading/:trade_id', path), enabled: id !== undefined && !listed })
  const details = listed ?? (read.data && id !== undefined ? tradeOf(read.data.data) : undefined)
  return { details, detailsProblem: details ? undefined : problemOf(read), setDetailsId }
}

/** Leads to the trading screen, with the order filled. */
const RepeatTrade = ({ trade }: { trade: Trade }) => (
  <Link className={buttonClass()} to={`${HOME}?symbol=${encodeURIComponent(trade.symbol)}`} state={{ repeat: trade }}>
    <Repeat2 aria-hidden />
    {`Repeat: ${trade.side}, ${formatUsd(trade.stake)}, ${formatDuration(trade.duration)}`}
  </Link>
)

/** Leads to the trading screen, with the chart at the trade. */
const ShowTrade = ({ trade }: { trade: Trade }) => (
  <Link
    className={buttonClass({ look: 'secondary' })}
    to={`${HOME}?symbol=${encodeURIComponent(trade.symbol)}`}
    state={{ show: trade }}
  >
    <ChartCandlestick aria-hidden />
    Show on the chart
  </Link>
)

function NoMatch({ onShowAll }: { onShowAll: () => void }) {
  return (
    <Card>
      <EmptyState
        icon={<SearchX />}
        title="No matching trades"
        actions={
          <Button look="secondary" onClick={onShowAll}>
            Show all trades
          </Button>
        }
      >
        Try a different status, symbol, direction or day.
      </EmptyState>
    </Card>
  )
}

function NoTrades() {
  return (
    <Card>
      <EmptyState
        icon={<History />}
        title="No trades yet"
        actions={
          <Link className={buttonClass()} to={HOME}>
            Place a trade
          </Link>
        }
      >
        Every trade appears here as soon as you place it, with its entry, exit and payout.
      </EmptyState>
    </Card>
  )
}
