import { type ReactNode, useMemo } from 'react'
import type { Mode, TradeResults } from '#contract/trading/trading.ts'
import {
  hitRateOf,
  settledCountOf,
  type TradeFilter,
  tradeQueryOf,
  useTradeResults,
  withoutSold,
} from '#web/api/index.ts'
import { curvePoints, cx, formatDate, formatPercent, formatUsd, formatUsdSigned, MoneyCurve } from '#web/ui/index.ts'
import styles from './totals.module.css'

interface TotalsProps {
  mode: Mode
  filter: TradeFilter
  /** How many settled trades the screen knows; a change means that the totals are out of date. */
  settled: number
  /** There are enough trades for a curve: its place is kept free. */
  hasCurve: boolean
}

/** The totals of the trades that match the filter, and the net result over time. */
export function Totals({ mode, filter, settled, hasCurve }: TotalsProps) {
  const results = useTradeResults(tradeQueryOf(mode, filter), settled)
  const points = useMemo(() => curvePoints(results?.curve ?? []), [results])
  return (
    <>
      {results ? <TotalsRow results={results} /> : <div className={styles.totals} />}
      {hasCurve && <MoneyCurve points={points}>Net result over time, from all settled trades that match</MoneyCurve>}
    </>
  )
}

function TotalsRow({ results }: { results: TradeResults }) {
  const { open, won, staked, paid, net, break_even, since } = results
  const rate = hitRateOf(results)
  return (
    <dl className={styles.totals} aria-label="Totals">
      <Total name="Trades">{(open + settledCountOf(results)).toLocaleString('en-US')}</Total>
      <Total name="Staked">{formatUsd(staked)}</Total>
      <Total name="Paid back">{formatUsd(paid)}</Total>
      <Total name="Net">
        <span className={cx(net > 0 && styles.up, net < 0 && styles.down)}>{formatUsdSigned(net)}</span>
      </Total>
      <Total name="Won">
        {rate ? `${won} of ${rate.decided}, ${formatPercent(rate.percent)}${withoutSold(results)}` : '–'}
      </Total>
      <Total name="Break-even">{break_even === undefined ? '–' : formatPercent(break_even)}</Total>
      {since && <p className={styles.since}>Counts your newest 10,000 trades, since {formatDate(since)}.</p>}
    </dl>
  )
}

function Total({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
