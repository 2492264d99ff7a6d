import type { ReactNode } from 'react'
import { cx } from '#web/ui/index.ts'
import { CHART_SYMBOLS, HEAT_SYMBOLS, OVERVIEW_SYMBOLS, pairName } from './symbols.ts'
import styles from './widgets.module.css'

/*
 * The widgets as they stand when the page is built: every place there, nothing in it. The page's script fills them from
 * the tape (`run.ts`). `{{widgets}}` and `{{widgetsOrigin}}` are the operator's settings, filled in by the server.
 */

interface WidgetProps {
  kind: string
  className?: string | undefined
  /** Ours alone, whatever the operator has set: on pages whose policy lets no third party in. */
  own?: boolean
  children: ReactNode
}

/** A box for one widget: ours, and the third party's over it once that has proven alive. */
function Widget({ kind, className, own = false, children }: WidgetProps) {
  return (
    <div
      className={styles.widget}
      data-widget={kind}
      data-mode={own ? 'native' : '{{widgets}}'}
      data-origin={own ? undefined : '{{widgetsOrigin}}'}
    >
      <div className={cx(styles.box, className)} data-box>
        {children}
      </div>
      <div className={styles.foot}>
        <p data-status role="status">
          From the tape, the prices that trades are decided by.
        </p>
        <button type="button" className={styles.load} data-load hidden>
          Load TradingView
        </button>
      </div>
    </div>
  )
}

export function MarketOverview() {
  return (
    <Widget kind="overview">
      <table className={styles.table}>
        <caption className={styles.caption} data-span>
          The last 24 hours
        </caption>
        <thead>
          <tr>
            <th scope="col">Market</th>
            <th scope="col">Price</th>
            <th scope="col">24 hours</th>
            <th scope="col" className={styles.way}>
              Its way
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

/** The chart of one symbol after the other: those of the market, or those of a coin. */
export function MarketChart({ symbols }: { symbols?: readonly string[] }) {
  return (
    <Widget kind="chart" className={styles.chart} own={symbols !== undefined}>
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
          24 hours in candles of 15 minutes
        </span>
      </label>
      <svg data-candles role="img" aria-label="Candles of the last 24 hours" />
    </Widget>
  )
}

export function HeatMap() {
  return (
    <Widget kind="heat" className={styles.heat}>
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

/** Real trades that were won. Ours in any case: nobody else has them. */
export function Payouts() {
  return (
    <div className={styles.widget}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section className={cx(styles.box, styles.payouts)} data-payouts aria-label="List of payouts" tabIndex={0}>
        <table className={styles.table}>
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
        <p className={styles.empty} data-empty>
          The list is read live. It needs JavaScript.
        </p>
      </section>
      <div className={styles.foot}>
        <p data-status role="status">
          Settled trades of real accounts, newest first.
        </p>
      </div>
    </div>
  )
}
