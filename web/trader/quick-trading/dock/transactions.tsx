import { CandlestickChart, ChevronRight } from 'lucide-react'
import { Link } from 'react-router'
import { type Problem, type Trade, useScreen } from '#web/api/index.ts'
import {
  AutoBadge,
  Button,
  Change,
  cx,
  FromTo,
  formatDateTime,
  formatPrice,
  formatUsd,
  ListError,
  profitOf,
  Side,
  SkeletonRows,
  StatusBadge,
  useFit,
} from '#web/ui/index.ts'
import { highlightOn, useIsHighlit } from '../highlight.ts'
import { Ended, LiveStanding, NowOrExit, Result, TimeLeft } from './live-cells.tsx'
import styles from './transactions.module.css'

/** Number of settled trades listed here; the trade history has all of them. */
const SETTLED = 20

interface TransactionsProps {
  trades: readonly Trade[]
  initialised: boolean
  problem: Problem | undefined
  /** Returns the decimals of a symbol's prices. */
  scaleOf: (symbol: string) => number | undefined
  /** Shows the symbol of a trade on the chart. */
  onShow: (trade: Trade) => void
  onDetails: (tradeId: string) => void
}

/** The transaction history below the chart: open trades first, then settled ones. Updated by the stream. */
export function Transactions({ trades, initialised, problem, scaleOf, onShow, onDetails }: TransactionsProps) {
  const isMobile = useScreen() === 'mobile'
  const open = trades
    .filter((trade) => trade.status === 'Pending')
    .sort((a, b) => Date.parse(a.end_time) - Date.parse(b.end_time))
  const settled = trades.filter((trade) => trade.status !== 'Pending').slice(0, SETTLED)
  const rows = [...open, ...settled]
  const { box, layout } = useFit<HTMLDivElement>(LAYOUTS.length)
  const List = isMobile ? Cards : LAYOUTS[layout]!
  return (
    <section className={styles.history} aria-labelledby="transactions-title">
      <div className={styles.head}>
        <h2 className={styles.title} id="transactions-title">
          Transaction history
        </h2>
        {open.length > 0 && <span className={styles.count}>{open.length} open</span>}
        <Link className={styles.all} to="/user/trade-history">
          All trades
        </Link>
      </div>
      {problem && (
        <div className={styles.problem}>
          <ListError {...problem} />
        </div>
      )}
      {rows.length > 0 ? (
        <div ref={box} className={styles.fit}>
          <List rows={rows} scaleOf={scaleOf} onDetails={onDetails} onShow={onShow} />
        </div>
      ) : initialised ? (
        <div className={styles.empty}>
          <CandlestickChart aria-hidden />
          <p className={styles.emptyTitle}>No trades yet</p>
          <p>
            Choose a duration and an amount. Then buy if you expect the price to rise, or sell if you expect it to fall.
          </p>
        </div>
      ) : (
        !problem && (
          <div className={styles.loading}>
            <SkeletonRows rows={4} label="Loading your trades" />
          </div>
        )
      )}
    </section>
  )
}

interface ListProps {
  rows: readonly Trade[]
  scaleOf: (symbol: string) => number | undefined
  onDetails: (tradeId: string) => void
  onShow: (trade: Trade) => void
}

interface RowProps extends Omit<ListProps, 'rows' | 'scaleOf'> {
  trade: Trade
  scale: number | undefined
}

/** One column per value. */
function Table({ rows, scaleOf, ...row }: ListProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={styles.scroll} tabIndex={0} aria-label="Table of transactions">
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Trade</th>
            <th scope="col">Amount</th>
            <th scope="col">Entry</th>
            <th scope="col">Now / exit</th>
            <th scope="col">Time</th>
            <th scope="col">Result</th>
            <th scope="col" className={styles.end}>
              <span className="visually-hidden">Details</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((trade) => (
            <TableRow key={trade.trade_id} trade={trade} scale={scaleOf(trade.symbol)} {...row} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function TableRow({ trade, scale, ...does }: RowProps) {
  const isOpen = trade.status === 'Pending'
  const isHighlit = useIsHighlit(trade.trade_id)
  return (
    <tr className={cx(isOpen && styles.open, isHighlit && styles.highlit)} {...highlightOn([trade.trade_id])}>
      <th scope="row">
        <Name trade={trade} {...does} />
      </th>
      <td>{formatUsd(trade.stake)}</td>
      <td>{formatPrice(trade.entry_price, scale)}</td>
      <td>
        <NowOrExit trade={trade} scale={scale} />
      </td>
      <td>{isOpen ? <TimeLeft trade={trade} /> : <Ended trade={trade} />}</td>
      <td>
        <Result trade={trade} />
      </td>
      <td className={styles.end}>
        <DetailsButton trade={trade} {...does} />
      </td>
    </tr>
  )
}

/** Two values per cell, for the space left between a laptop's side panels. */
function NarrowTable({ rows, scaleOf, ...row }: ListProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={styles.scroll} tabIndex={0} aria-label="Table of transactions">
      <table className={cx(styles.table, styles.narrow)}>
        <thead>
          <tr>
            <th scope="col">Trade, amount</th>
            <th scope="col">Entry, now / exit</th>
            <th scope="col">Result, time</th>
            <th scope="col" className={styles.end}>
              <span className="visually-hidden">Details</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((trade) => (
            <NarrowRow key={trade.trade_id} trade={trade} scale={scaleOf(trade.symbol)} {...row} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function NarrowRow({ trade, scale, ...does }: RowProps) {
  const isOpen = trade.status === 'Pending'
  const isHighlit = useIsHighlit(trade.trade_id)
  return (
    <tr className={cx(isOpen && styles.open, isHighlit && styles.highlit)} {...highlightOn([trade.trade_id])}>
      <th scope="row">
        <Name trade={trade} {...does} />
        <span className={styles.second}>{formatUsd(trade.stake)}</span>
      </th>
      <td>
        {formatPrice(trade.entry_price, scale)}
        <span className={styles.second}>
          <NowOrExit trade={trade} scale={scale} />
        </span>
      </td>
      <td>
        <Result trade={trade} />
        <span className={styles.second}>{isOpen ? <TimeLeft trade={trade} /> : <Ended trade={trade} />}</span>
      </td>
      <td className={styles.end}>
        <DetailsButton trade={trade} {...does} />
      </td>
    </tr>
  )
}

/** Side and symbol; a click shows the trade on the chart. */
function Name({ trade, onShow }: Pick<RowProps, 'trade' | 'onShow'>) {
  return (
    <button type="button" className={styles.name} onClick={() => onShow(trade)} title="Show on the chart">
      <Side side={trade.side} />
      <span>{trade.symbol}</span>
      <AutoBadge trade={trade} />
    </button>
  )
}

function DetailsButton({ trade, onDetails }: Pick<RowProps, 'trade' | 'onDetails'>) {
  return (
    <Button
      look="quiet"
      size="small"
      className={styles.details}
      onClick={() => onDetails(trade.trade_id)}
      aria-label={`Details of ${trade.side} ${trade.symbol}, ${formatDateTime(trade.trade_time)}`}
    >
      <ChevronRight aria-hidden />
    </Button>
  )
}

export function Cards({ rows, scaleOf, ...row }: Omit<ListProps, 'onShow'>) {
  return (
    <ul className={styles.cards}>
      {rows.map((trade) => (
        <Card key={trade.trade_id} trade={trade} scale={scaleOf(trade.symbol)} {...row} />
      ))}
    </ul>
  )
}

/** Every card has the same number of lines, so that all have the same height. */
function Card({ trade, scale, onDetails }: Omit<RowProps, 'onShow'>) {
  const isOpen = trade.status === 'Pending'
  const isHighlit = useIsHighlit(trade.trade_id)
  return (
    <li {...highlightOn([trade.trade_id])}>
      <button
        type="button"
        className={cx(styles.card, isOpen && styles.open, isHighlit && styles.highlit)}
        onClick={() => onDetails(trade.trade_id)}
      >
        <span className={styles.line}>
          <span className={styles.cardName}>
            <Side side={trade.side} /> {trade.symbol} <AutoBadge trade={trade} />
          </span>
          {isOpen ? <LiveStanding trade={trade} /> : <Change amount={profitOf(trade)} />}
        </span>
        <span className={styles.line}>
          <span className={styles.quiet}>{formatUsd(trade.stake)}</span>
          {isOpen ? <TimeLeft trade={trade} /> : <StatusBadge status={trade.status} />}
        </span>
        <span className={cx(styles.line, styles.prices)}>
          <FromTo from={formatPrice(trade.entry_price, scale)} to={<NowOrExit trade={trade} scale={scale} />} />
        </span>
        <span className="visually-hidden">Details</span>
      </button>
    </li>
  )
}

/** From the widest to the one that fits everywhere. */
const LAYOUTS = [Table, NarrowTable, Cards] as const
