import { type Trade, tapeNow, useTapeSecond } from '#web/api/index.ts'
import {
  AutoBadge,
  CardLine,
  Change,
  type Column,
  cx,
  FromTo,
  formatCountdown,
  formatDate,
  formatDateTime,
  formatPrice,
  formatTime,
  formatUsd,
  noteLine,
  profitOf,
  RecordList,
  Side,
  Stack,
  StatusBadge,
  serialNumber,
  timeLeftWords,
} from '#web/ui/index.ts'
import styles from './trade-rows.module.css'

interface TradeRowsProps {
  trades: readonly Trade[]
  /** Returns the decimals of a symbol's prices. */
  scaleOf: (symbol: string) => number | undefined
  asCards: boolean
  onDetails: (tradeId: string) => void
}

/** The list of trades; a row opens its details. */
export function TradeRows({ trades, scaleOf, asCards, onDetails }: TradeRowsProps) {
  return (
    <RecordList
      of="trades"
      rows={trades}
      keyOf={(trade) => trade.trade_id}
      columns={columnsOf(scaleOf)}
      fewColumns={fewColumnsOf(scaleOf)}
      asCards={asCards}
      card={(trade) => <TradeCard trade={trade} scale={scaleOf(trade.symbol)} />}
      onOpen={(trade) => onDetails(trade.trade_id)}
      openLabel={(trade) => `Details of ${trade.side} ${trade.symbol}, ${formatDateTime(trade.trade_time)}`}
    />
  )
}

const columnsOf = (scaleOf: TradeRowsProps['scaleOf']): Column<Trade>[] => [
  serialNumber,
  { head: 'Trade ID', kind: 'quiet', cell: (trade) => trade.trade_id },
  {
    head: 'Symbol',
    kind: 'name',
    cell: (trade) => (
      <>
        <span className={styles.name}>
          {trade.symbol} <AutoBadge trade={trade} />
        </span>
        <Note trade={trade} />
      </>
    ),
  },
  { head: 'Direction', cell: (trade) => <Side side={trade.side} /> },
  { head: 'Amount', kind: 'figure', cell: (trade) => formatUsd(trade.stake) },
  { head: 'Strike rate', cell: (trade) => trade.strike_rate },
  { head: 'Entry', kind: 'figure', cell: (trade) => formatPrice(trade.entry_price, scaleOf(trade.symbol)) },
  { head: 'Exit', kind: 'figure', cell: (trade) => formatPrice(trade.exit_price, scaleOf(trade.symbol)) },
  { head: 'Status', cell: (trade) => <Status trade={trade} /> },
  {
    head: 'Payout',
    kind: 'figure',
    cell: (trade) => (trade.payout === undefined ? '–' : formatUsd(trade.payout)),
  },
  { head: 'Profit', kind: 'figure', cell: (trade) => <Change amount={profitOf(trade)} /> },
  {
    head: 'Date',
    cell: (trade) => (
      <time dateTime={trade.trade_time}>
        {formatDate(trade.trade_time)} <span className={styles.time}>{formatTime(trade.trade_time)}</span>
      </time>
    ),
  },
]

/** What the trader wrote about it. */
function Note({ trade }: { trade: Trade }) {
  const text = noteLine(trade)
  return text && <span className={styles.note}>{text}</span>
}

/** Two values per cell, for windows too narrow for a column each. */
const fewColumnsOf = (scaleOf: TradeRowsProps['scaleOf']): Column<Trade>[] => [
  {
    head: 'Trade',
    kind: 'name',
    cell: (trade) => (
      <Stack>
        <span className={styles.name}>
          <Side side={trade.side} /> {trade.symbol} <AutoBadge trade={trade} />
        </span>
        <span>{trade.trade_id}</span>
        <Note trade={trade} />
      </Stack>
    ),
  },
  {
    head: 'Amount, rate',
    kind: 'figure',
    cell: (trade) => (
      <Stack>
        <span>{formatUsd(trade.stake)}</span>
        <span>{trade.strike_rate}</span>
      </Stack>
    ),
  },
  {
    head: 'Entry, exit',
    kind: 'figure',
    cell: (trade) => (
      <Stack>
        <span>{formatPrice(trade.entry_price, scaleOf(trade.symbol))}</span>
        <span>{formatPrice(trade.exit_price, scaleOf(trade.symbol))}</span>
      </Stack>
    ),
  },
  { head: 'Status', cell: (trade) => <Status trade={trade} isStacked /> },
  {
    head: 'Profit, payout',
    kind: 'figure',
    cell: (trade) => (
      <Stack>
        <Change amount={profitOf(trade)} />
        <span>{trade.payout === undefined ? '–' : formatUsd(trade.payout)}</span>
      </Stack>
    ),
  },
  {
    head: 'Date',
    cell: (trade) => (
      <time dateTime={trade.trade_time}>
        <Stack>
          <span>{formatDate(trade.trade_time)}</span>
          <span>{formatTime(trade.trade_time)}</span>
        </Stack>
      </time>
    ),
  },
]

/** Every card has the same number of lines, so that all have the same height; a note adds its own. */
function TradeCard({ trade, scale }: { trade: Trade; scale: number | undefined }) {
  return (
    <>
      <CardLine>
        <span className={styles.name}>
          <Side side={trade.side} /> {trade.symbol} <AutoBadge trade={trade} />
        </span>
        <Change amount={profitOf(trade)} />
      </CardLine>
      <CardLine quiet>
        <span>{formatUsd(trade.stake)}</span>
        <Status trade={trade} />
      </CardLine>
      <CardLine quiet>
        <span className={styles.small}>
          <FromTo from={formatPrice(trade.entry_price, scale)} to={formatPrice(trade.exit_price, scale)} />
        </span>
      </CardLine>
      <CardLine quiet>
        <span className={styles.small}>{formatDateTime(trade.trade_time)}</span>
        <span className={styles.small}>{trade.trade_id}</span>
      </CardLine>
      <Note trade={trade} />
    </>
  )
}

/** The status, and the time left of an open trade. */
function Status({ trade, isStacked }: { trade: Trade; isStacked?: boolean }) {
  return (
    <span className={cx(styles.status, isStacked && styles.stacked)}>
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
