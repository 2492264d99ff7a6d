import { ChevronRight } from 'lucide-react'
import type { Trade } from '#contract/trading.ts'
import { tapeNow, useTapeSecond } from '#web/api/index.ts'
import {
  Button,
  Change,
  formatCountdown,
  formatDate,
  formatDateTime,
  formatPrice,
  formatTime,
  formatUsd,
  profitOf,
  Side,
  StatusBadge,
  timeLeftWords,
} from '#web/ui/index.ts'
import styles from './trade-rows.module.css'

interface RowsProps {
  trades: readonly Trade[]
  /** Decimals of a symbol's prices. */
  scaleOf: (symbol: string) => number | undefined
  onDetails: (tradeId: string) => void
}

const detailsLabel = (trade: Trade): string =>
  `Details of ${trade.trade_mode} ${trade.symbol}, ${formatDateTime(trade.trade_time)}`

/** The trades as a table; a row's last cell opens its details, and so does a click on the row. */
export function TradeTable({ trades, scaleOf, onDetails }: RowsProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard
    <section className={styles.scroll} tabIndex={0} aria-label="Table of trades">
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col" className={styles.number}>
              S/N
            </th>
            <th scope="col">Trade ID</th>
            <th scope="col">Symbol</th>
            <th scope="col">Direction</th>
            <th scope="col" className={styles.figure}>
              Amount
            </th>
            <th scope="col">Strike rate</th>
            <th scope="col" className={styles.figure}>
              Entry
            </th>
            <th scope="col" className={styles.figure}>
              Exit
            </th>
            <th scope="col">Status</th>
            <th scope="col" className={styles.figure}>
              Payout
            </th>
            <th scope="col" className={styles.figure}>
              Profit
            </th>
            <th scope="col">Date</th>
            <th scope="col">
              <span className="visually-hidden">Details</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {trades.map((trade, index) => (
            <tr key={trade.trade_id} onClick={() => onDetails(trade.trade_id)}>
              <td className={styles.number}>{index + 1}</td>
              <td className={styles.id}>{trade.trade_id}</td>
              <th scope="row">{trade.symbol}</th>
              <td>
                <Side side={trade.trade_mode} />
              </td>
              <td className={styles.figure}>{formatUsd(trade.amount)}</td>
              <td>{trade.strike_rate}</td>
              <td className={styles.figure}>{formatPrice(trade.start_price, scaleOf(trade.symbol))}</td>
              <td className={styles.figure}>{formatPrice(trade.end_price, scaleOf(trade.symbol))}</td>
              <td>
                <Status trade={trade} />
              </td>
              <td className={styles.figure}>{trade.payout === undefined ? '–' : formatUsd(trade.payout)}</td>
              <td className={styles.figure}>
                <Change amount={profitOf(trade)} />
              </td>
              <td>
                <time dateTime={trade.trade_time}>
                  {formatDate(trade.trade_time)} <span className={styles.time}>{formatTime(trade.trade_time)}</span>
                </time>
              </td>
              <td className={styles.last}>
                <Button
                  look="quiet"
                  size="small"
                  className={styles.open}
                  aria-label={detailsLabel(trade)}
                  onClick={(event) => {
                    event.stopPropagation()
                    onDetails(trade.trade_id)
                  }}
                >
                  <ChevronRight aria-hidden />
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** The trades as cards, for a phone. */
export function TradeCards({ trades, scaleOf, onDetails }: RowsProps) {
  return (
    <ul className={styles.cards}>
      {trades.map((trade) => {
        const scale = scaleOf(trade.symbol)
        return (
          <li key={trade.trade_id}>
            <button type="button" className={styles.card} onClick={() => onDetails(trade.trade_id)}>
              <span className="visually-hidden">Details of </span>
              <span className={styles.line}>
                <span className={styles.name}>
                  <Side side={trade.trade_mode} /> {trade.symbol}
                </span>
                {trade.status === 'Pending' ? (
                  <span className={styles.figure}>{formatUsd(trade.amount)}</span>
                ) : (
                  <Change amount={profitOf(trade)} />
                )}
              </span>
              <span className={styles.line}>
                <span className={styles.quiet}>
                  {formatUsd(trade.amount)} · {formatPrice(trade.start_price, scale)} →{' '}
                  {formatPrice(trade.end_price, scale)}
                </span>
                <Status trade={trade} />
              </span>
              <span className={styles.line}>
                <span className={styles.quiet}>
                  {formatDate(trade.trade_time)} {formatTime(trade.trade_time)}
                </span>
                <span className={styles.quiet}>{trade.trade_id}</span>
              </span>
            </button>
          </li>
        )
      })}
    </ul>
  )
}

/** The status, and how long an open trade still goes. */
function Status({ trade }: { trade: Trade }) {
  return (
    <span className={styles.status}>
      <StatusBadge status={trade.status} />
      {trade.status === 'Pending' && <Left trade={trade} />}
    </span>
  )
}

function Left({ trade }: { trade: Trade }) {
  useTapeSecond()
  const left = Date.parse(trade.end_time) - tapeNow()
  return (
    <span className={styles.left}>
      <span aria-hidden>{formatCountdown(left)}</span>
      <span className="visually-hidden">, {timeLeftWords(left)}</span>
    </span>
  )
}
