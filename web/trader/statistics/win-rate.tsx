import type { CSSProperties } from 'react'
import { Link } from 'react-router'
import type { TradeStatistics } from '#contract/trading/trading.ts'
import { historyOf, rateOf, verdictOf } from '#web/api/index.ts'
import { cx, formatPercent } from '#web/ui/index.ts'
import type { Scope } from './links.ts'
import { Panel } from './panel.tsx'
import styles from './win-rate.module.css'

interface WinRateProps {
  data: TradeStatistics
  scope: Scope
  hasRange: boolean
}

/** The win rate, how sure it is, and what it must be. */
export function WinRate({ data, scope, hasRange }: WinRateProps) {
  const rate = rateOf(data)
  const { break_even } = data
  if (!rate || break_even === undefined)
    return (
      <Panel title="Win rate and break-even">
        <p className={styles.words}>No trade was won or lost yet.</p>
      </Panel>
    )
  const decided = data.won + data.lost
  return (
    <Panel title="Win rate and break-even">
      <Ruler rate={rate.rate} breakEven={break_even} range={hasRange ? rate : undefined} />
      <Link to={historyOf({ ...scope, status: 'Won' })} className={styles.rate}>
        {formatPercent(rate.rate)} <small>{`${data.won} of ${decided} won`}</small>
      </Link>
      <p className={styles.words}>
        {hasRange && (
          <>
            Your true rate is probably between {formatPercent(rate.low)} and {formatPercent(rate.high)}.{' '}
            <strong>{verdictOf(rate, break_even, decided)}</strong>{' '}
          </>
        )}
        You break even at {formatPercent(break_even)}: at this rate, wins at your odds pay for losses. Larger stakes
        weigh more.{data.sold > 0 && ' Trades that you sold early count neither as won nor as lost.'}
      </p>
    </Panel>
  )
}

interface RulerProps {
  rate: number
  breakEven: number
  range: { low: number; high: number } | undefined
}

/** The part of 0 to 100% around the rate, its range and break-even. */
function Ruler({ rate, breakEven, range }: RulerProps) {
  const marks = [rate, breakEven, ...(range ? [range.low, range.high] : [])]
  const margin = Math.max(5, (Math.max(...marks) - Math.min(...marks)) / 4)
  const low = Math.max(0, Math.min(...marks) - margin)
  const high = Math.min(100, Math.max(...marks) + margin)
  const at = (percent: number) => `${((percent - low) / (high - low)) * 100}%`
  const place = (percent: number): CSSProperties => ({ left: at(percent) })
  return (
    <div className={styles.ruler} aria-hidden>
      <i className={styles.axis} />
      {range && (
        <i
          className={styles.range}
          style={{ left: at(range.low), width: `calc(${at(range.high)} - ${at(range.low)})` }}
        />
      )}
      <i className={styles.tick} style={place(breakEven)} />
      <i className={styles.dot} style={place(rate)} />
      <span className={cx(styles.above, edgeOf(at(breakEven)))} style={place(breakEven)}>
        break-even {formatPercent(breakEven)}
      </span>
      {range && (
        <>
          <span className={styles.lowEnd} style={place(range.low)}>
            {formatPercent(range.low)}
          </span>
          <span className={styles.highEnd} style={place(range.high)}>
            {formatPercent(range.high)}
          </span>
        </>
      )}
    </div>
  )
}

/** Keeps a label within the ruler near its ends. */
function edgeOf(at: string): string | undefined {
  const percent = Number.parseFloat(at)
  return percent < 20 ? styles.atStart : percent > 80 ? styles.atEnd : undefined
}

/** A small ruler from 0 to 100% for a row of a table. */
export function Whisker({ rate, breakEven, range }: Omit<RulerProps, 'breakEven'> & { breakEven: number | undefined }) {
  return (
    <span className={styles.whisker} aria-hidden>
      <i className={styles.axis} />
      {range && <i className={styles.range} style={{ left: `${range.low}%`, width: `${range.high - range.low}%` }} />}
      {breakEven !== undefined && <i className={styles.tick} style={{ left: `${breakEven}%` }} />}
      <i className={styles.dot} style={{ left: `${rate}%` }} />
    </span>
  )
}
