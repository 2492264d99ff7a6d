import { useState } from 'react'
import { Link } from 'react-router'
import type { StatisticsGroup, TradeStatistics } from '#contract/trading/trading.ts'
import { historyOf, rateOf, type TradeFilter } from '#web/api/index.ts'
import { Button, Change, formatDuration, formatPercent, originWord, weekdayWord } from '#web/ui/index.ts'
import styles from './breakdowns.module.css'
import type { Scope } from './links.ts'
import { Panel } from './panel.tsx'
import { Whisker } from './win-rate.tsx'

type By = Exclude<keyof TradeStatistics['by'], 'hour' | 'offer'>

interface Breakdown {
  title: string
  /** The heading of its first column. */
  head: string
  /** Says how to read the third column. */
  explains?: true
  word: (key: string) => string
  filter: (key: string) => Partial<TradeFilter>
  order: (a: StatisticsGroup, b: StatisticsGroup) => number
}

const byKey = (a: StatisticsGroup, b: StatisticsGroup) => Number(a.key) - Number(b.key)
const byTrades = (a: StatisticsGroup, b: StatisticsGroup) => b.trades - a.trades || (a.key < b.key ? -1 : 1)

const BREAKDOWNS: Record<By, Breakdown> = {
  symbol: {
    ...{ title: 'By symbol', head: 'Symbol', order: byTrades, explains: true },
    word: (key) => key,
    filter: (symbol) => ({ symbol }),
  },
  side: {
    ...{ title: 'By direction', head: 'Direction', order: byTrades },
    word: (key) => key,
    filter: (key) => ({ side: key as 'Buy' }),
  },
  odds: {
    ...{ title: 'By odds', head: 'A win pays', order: (a, b) => byKey(b, a) },
    word: (key) => `${key}%`,
    filter: (key) => ({ odds: Number(key) }),
  },
  duration: {
    ...{ title: 'By duration', head: 'Duration', order: byKey },
    word: (key) => formatDuration(Number(key)),
    filter: (key) => ({ duration: Number(key) }),
  },
  weekday: {
    ...{ title: 'By day of the week', head: 'Day', order: byKey },
    word: (key) => weekdayWord(Number(key)),
    filter: (key) => ({ weekday: Number(key) }),
  },
  tag: {
    ...{ title: 'By tag', head: 'Tag', order: byTrades },
    word: (key) => key,
    filter: (tag) => ({ tag }),
  },
  origin: {
    ...{ title: 'By hand or automatic', head: 'Placed', order: byTrades },
    word: (key) => originWord(key as 'manual'),
    filter: (key) => ({ origin: key as 'manual' }),
  },
}

interface BreakdownsProps {
  data: TradeStatistics
  scope: Scope
  hasRanges: boolean
  of: readonly By[]
}

/** Results by one or more properties of trades, in one panel each. */
export function Breakdowns({ data, of, ...rest }: BreakdownsProps) {
  return (
    <div className={styles.column}>
      {of.map((by) => (
        <Groups key={by} groups={data.by[by]} about={BREAKDOWNS[by]} {...rest} />
      ))}
    </div>
  )
}

const SHOWN = 8

interface GroupsProps extends Pick<BreakdownsProps, 'scope' | 'hasRanges'> {
  groups: readonly StatisticsGroup[]
  about: Breakdown
}

function Groups({ groups, about, scope, hasRanges }: GroupsProps) {
  const [showsAll, setShowsAll] = useState(false)
  const sorted = groups.toSorted(about.order)
  const shown = showsAll ? sorted : sorted.slice(0, SHOWN)
  return (
    <Panel title={about.title}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{about.head}</th>
            <th scope="col">Won</th>
            <th scope="col">Rate, break-even</th>
            <th scope="col">Net</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((group) => (
            <tr key={group.key}>
              <th scope="row">
                <Link to={historyOf({ ...scope, ...about.filter(group.key) })}>{about.word(group.key)}</Link>
                <small>{`${group.won}/${group.won + group.lost}`}</small>
              </th>
              <td>
                {group.won}/{group.won + group.lost}
              </td>
              <td>
                <Rate group={group} hasRange={hasRanges} />
              </td>
              <td>
                <Change amount={group.net} unit="$" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > SHOWN && (
        <Button look="quiet" size="small" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Show fewer' : `Show all ${sorted.length}`}
        </Button>
      )}
      {hasRanges && groups.length > 0 && about.explains && (
        <p className={styles.caption}>Tick: break-even. Bar: the range your true rate is probably in (95%).</p>
      )}
    </Panel>
  )
}

function Rate({ group, hasRange }: { group: StatisticsGroup; hasRange: boolean }) {
  const rate = rateOf(group)
  if (!rate) return <span>–</span>
  const range = hasRange ? ` (${formatPercent(rate.low)} to ${formatPercent(rate.high)})` : ''
  const need = group.break_even === undefined ? '' : `, break-even ${formatPercent(group.break_even)}`
  return (
    <>
      <span className="visually-hidden">{`${formatPercent(rate.rate)}${range}${need}`}</span>
      <Whisker rate={rate.rate} breakEven={group.break_even} range={hasRange ? rate : undefined} />
    </>
  )
}
