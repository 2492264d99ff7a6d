import type { ReactNode } from 'react'
import { cx } from '#web/ui/index.ts'
import { CHART_SYMBOLS, HEAT_SYMBOLS, OVERVIEW_SYMBOLS, pairName } from './symbols.ts'
import styles from './widgets.module.css'

/*
 * The widgets as rendered at build time: every element is there, without data. The page's script fills them from the
 * tape (`run.ts`). Text in braces stands for the operator's settings, filled in by the server.
 */

/** The third party whose widget may cover ours: its name, its address, and whether it loads automatically. */
interface ThirdParty {
  name: string
  origin: string
  mode: string
}
const TRADINGVIEW: ThirdParty = { name: 'TradingView', origin: '{{widgetsOrigin}}', mode: '{{widgets}}' }
const ANOTHERS_PAYOUTS: ThirdParty = { name: '{{payoutsName}}', origin: '{{payoutsUrl}}', mode: '{{payouts}}' }

interface WidgetProps {
  kind: string
  className?: string | undefined
  /** Omit it to show only ours, whatever the operator's setting, on pages whose policy allows no third party. */
  other?: ThirdParty | undefined
  status?: string
  children: ReactNode
}

/** A box for one widget: ours, covered by the third party's once that is known to work. */
function Widget({
  kind,
  className,
  other,
  status = 'From the tape, the prices that trades are decided by.',
  children,
}: WidgetProps) {
  return (
    <div
      className={styles.widget}
      data-widget={kind}
      data-mode={other?.mode ?? 'native'}
      data-origin={other?.origin}
      data-name={other?.name}
    >
      <div className={cx(styles.box, className)} data-box>
        {children}
      </div>
      <div className={styles.foot}>
        <p data-status role="status">
          {status}
        </p>
        {other && (
          <button type="button" className={styles.load} data-load hidden>
            Load
          </button>
        )}
      </div>
    </div>
  )
}

export function MarketOverview() {
  return (
    <Widget kind="overview" other={TRADINGVIEW}>
      <table className={styles.table}>
        <caption className={styles.caption} data-span>
          Last 24 hours
        </caption>
        <thead>
          <tr>
            <th scope="col">Market</th>
            <th scope="col">Price</th>
            <th scope="col">Change</th>
            <th scope="col" className={styles.way}>
              Trend
            </th>
          </tr>
        </thead>
        <tbody>
          {OVERVIEW_SYMBOLS.map((symbol) => (
            <tr key={symbol} data-row={symbol}>
              <th scope="row">{pairName(symbol)}</th>
              <td />
              <td />
              <td className={styles.way}>
                <svg viewBox="0 0 120 32" preserveAspectRatio="none" aria-hidden="true">
                  <polyline points="" />
                </svg>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Widget>
  )
}

/** The charts of several symbols, one at a time: those of the market, or those of a coin. */
export function MarketChart({ symbols }: { symbols?: readonly string[] }) {
  return (
    <Widget kind="chart" className={styles.chart} other={symbols ? undefined : TRADINGVIEW}>
      <label className={styles.choose}>
        <span className="visually-hidden">Symbol</span>
        <select data-choose>
          {(symbols ?? CHART_SYMBOLS).map((symbol) => (
            <option key={symbol} value={symbol}>
              {pairName(symbol)}
            </option>
          ))}
        </select>
        <span className={styles.span} data-span>
          24 hours in 15-minute candles
        </span>
      </label>
      <svg data-candles role="img" aria-label="Candles of the last 24 hours" />
    </Widget>
  )
}

export function HeatMap() {
  return (
    <Widget kind="heat" className={styles.heat} other={TRADINGVIEW}>
      <ul>
        {HEAT_SYMBOLS.map((symbol) => (
          <li key={symbol} data-cell={symbol}>
            <span>{pairName(symbol)}</span>
            <span />
          </li>
        ))}
      </ul>
    </Widget>
  )
}

/** Real winning trades; covered by an external list if the operator has set one and it works. */
export function Payouts() {
  return (
    <Widget
      kind="payouts"
      other={ANOTHERS_PAYOUTS}
      status="From the ledger, each line a trade that was settled on the tape."
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
      <section className={styles.payouts} aria-label="List of payouts" tabIndex={0}>
        <table className={styles.table}>
          <caption className={styles.caption} data-span>
            Settled trades on real accounts, newest first
          </caption>
          <thead>
            <tr>
              <th scope="col">Time, UTC</th>
              <th scope="col">Symbol</th>
              <th scope="col">Trade</th>
              <th scope="col">Stake</th>
              <th scope="col">Paid</th>
            </tr>
          </thead>
          <tbody data-rows />
        </table>
        <div className={styles.empty} data-empty>
          <svg viewBox="0 0 240 64" aria-hidden="true">
            <path d="M4 52 36 40 62 47 96 26 128 36 160 16 192 24 214 12" />
            <circle cx="214" cy="12" r="5" />
          </svg>
          <p>This live list needs JavaScript.</p>
        </div>
      </section>
    </Widget>
  )
}
