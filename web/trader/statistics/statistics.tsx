import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ChartColumn } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { Mode, TradeStatistics } from '#contract/trading/trading.ts'
import {
  FEW_TRADES,
  problemOf,
  queryClient,
  queryOf,
  timeZone,
  useDebounced,
  useMode,
  useTrades,
} from '#web/api/index.ts'
import { buttonClass, Card, EmptyState, ListError, Page, titled } from '#web/ui/index.ts'
import { Breakdowns } from './breakdowns.tsx'
import { Calendar } from './calendar.tsx'
import { Equity } from './equity.tsx'
import { Figures } from './figures.tsx'
import { Filters } from './filters.tsx'
import { Hours } from './hours.tsx'
import type { Scope } from './links.ts'
import { Notes } from './notes.tsx'
import { periodOf, timesOf } from './period.ts'
import { Placeholder } from './placeholder.tsx'
import styles from './statistics.module.css'
import { WinRate } from './win-rate.tsx'

export const meta = () => [{ title: titled('Statistics') }]

const CALL = 'GET /trading/statistics'
/** After a trade ended, wait this long for others before the figures are read again, ms. */
const QUIET_MS = 2_000

/** Results of the trader's settled trades; every figure leads to the trades behind it. */
export default function Statistics() {
  const mode = useMode()
  const [query, setQuery] = useSearchParams()
  const period = periodOf(query)
  const symbol = query.get('symbol')?.slice(0, 20) || undefined
  const times = timesOf(period, timeZone(), Date.now())
  const statistics = useStatistics(mode, symbol, times)
  const problem = problemOf(statistics)
  const data = statistics.data?.data
  const scope: Scope = { symbol, ended: `${times.from ?? 0}-${times.until ?? nextSecond()}` }
  return (
    <Page
      title="Statistics"
      intro={`Settled trades on your ${mode === 'demo' ? 'demo' : 'live'} account. Every figure opens the trades behind it.`}
    >
      <Filters
        period={period}
        symbol={symbol}
        scope={scope}
        hasTrades={data?.trades !== 0}
        onChange={(next) => setQuery(next, { replace: true, preventScrollReset: true })}
      />
      {problem && !data && <ListError {...problem} />}
      {!data && !problem && <Placeholder />}
      {data &&
        (data.trades === 0 ? (
          <NoTrades isFiltered={period.name !== 'all' || symbol !== undefined} />
        ) : (
          <Shown data={data} scope={scope} />
        ))}
      {data && <Notes data={data} />}
    </Page>
  )
}

/** Trades that are still open end later. */
const nextSecond = (): number => Math.ceil((Date.now() + 1) / 1_000) * 1_000

/** Reads the figures, and again once another trade has settled. */
function useStatistics(mode: Mode, symbol: string | undefined, times: { from?: number; until?: number }) {
  const { list } = useTrades()
  const settled = useDebounced(list.filter((trade) => trade.status !== 'Pending').length, QUIET_MS)
  const read = useRef(settled)
  useEffect(() => {
    if (read.current !== settled) void queryClient.invalidateQueries({ queryKey: [CALL] })
    read.current = settled
  }, [settled])
  return useQuery({
    ...queryOf(CALL, {
      query: {
        mode,
        zone: timeZone(),
        ...(symbol !== undefined && { symbol }),
        ...(times.from !== undefined && { ended_from: String(times.from) }),
        ...(times.until !== undefined && { ended_until: String(times.until) }),
      },
    }),
    placeholderData: keepPreviousData,
  })
}

function Shown({ data, scope }: { data: TradeStatistics; scope: Scope }) {
  const hasRanges = data.trades >= FEW_TRADES
  const [month, setMonth] = useState<string>()
  return (
    <>
      <Figures data={data} scope={scope} />
      {!hasRanges && (
        <p className={styles.few}>
          {data.trades === 1 ? '1 trade is' : `${data.trades} trades are`} too few for ranges: from {FEW_TRADES} trades
          on, each win rate shows how sure it is.
        </p>
      )}
      <div className={styles.two}>
        <Equity data={data} scope={scope} />
        <WinRate data={data} scope={scope} hasRange={hasRanges} />
      </div>
      <div className={styles.three}>
        <Calendar days={data.days} scope={scope} month={month} onMonth={setMonth} />
        <Breakdowns data={data} scope={scope} hasRanges={hasRanges} of={['symbol']} />
        <Hours groups={data.by.hour} scope={scope} />
        <Breakdowns data={data} scope={scope} hasRanges={hasRanges} of={['odds', 'side']} />
        <Breakdowns data={data} scope={scope} hasRanges={hasRanges} of={['duration', 'origin']} />
        <Breakdowns
          data={data}
          scope={scope}
          hasRanges={hasRanges}
          of={data.by.tag.length > 0 ? ['weekday', 'tag'] : ['weekday']}
        />
      </div>
    </>
  )
}

function NoTrades({ isFiltered }: { isFiltered: boolean }) {
  return (
    <Card>
      <EmptyState
        icon={<ChartColumn />}
        title={isFiltered ? 'No settled trades in this time' : 'No settled trades yet'}
        actions={
          <Link className={buttonClass()} to="/user/home">
            Place a trade
          </Link>
        }
      >
        Your results appear here as soon as a trade ends.
      </EmptyState>
    </Card>
  )
}
