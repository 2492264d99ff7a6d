import { Bot } from 'lucide-react'
import type { Mode } from '#contract/terms.ts'
import type { AutomaticOrder } from '#contract/trading/automatic.ts'
import { problemOf, tradeOf, usePages, useScreen } from '#web/api/index.ts'
import {
  Badge,
  CardLine,
  Change,
  type Column,
  EmptyState,
  formatDate,
  formatDuration,
  formatTime,
  formatUsd,
  PageList,
  profitOf,
  Side,
  Stack,
  StatusBadge,
} from '#web/ui/index.ts'
import styles from './automatic.module.css'
import { skippedText } from './words.ts'

/** The signals that the automatic trades considered, newest first, each with its result. */
export function Orders({ mode }: { mode: Mode }) {
  const pages = usePages('GET /automatic/orders', { mode })
  const screen = useScreen()
  return (
    <section className={styles.orders} aria-label="Signals and results">
      <h2 className={styles.heading}>Signals and results</h2>
      <PageList<AutomaticOrder>
        pages={pages}
        of="signal"
        problem={problemOf(pages)}
        problemText="We couldn't load your signals."
        keyOf={(order) => order.signal}
        columns={COLUMNS}
        fewColumns={FEW_COLUMNS}
        asCards={screen === 'mobile'}
        card={(order) => <OrderCard order={order} />}
        empty={
          <EmptyState icon={<Bot />} title="No signals yet">
            Start automatic trades. Each signal appears here with the trade it became, or why it was skipped.
          </EmptyState>
        }
      />
    </section>
  )
}

const Outcome = ({ order }: { order: AutomaticOrder }) =>
  order.trade ? (
    <StatusBadge status={order.trade.status} />
  ) : order.status === 'Skipped' ? (
    <span className={styles.skipped}>
      <Badge>Skipped</Badge> <span>{skippedText(order)}</span>
    </span>
  ) : (
    <Badge tone="accent">Placing…</Badge>
  )

const signalName = (order: AutomaticOrder) => (
  <span className={styles.name}>
    <Side side={order.side} /> {order.symbol}
  </span>
)
const time = (order: AutomaticOrder) => (
  <time dateTime={order.at}>
    {formatDate(order.at)} {formatTime(order.at)}
  </time>
)
const result = (order: AutomaticOrder) => <Change amount={order.trade && profitOf(tradeOf(order.trade))} />

const COLUMNS: Column<AutomaticOrder>[] = [
  { head: 'Signal', kind: 'quiet', cell: (order) => order.signal },
  { head: 'Time', cell: time },
  { head: 'Symbol', kind: 'name', cell: signalName },
  { head: 'Duration', cell: (order) => formatDuration(order.duration) },
  { head: 'Stake', kind: 'figure', cell: (order) => (order.trade ? formatUsd(tradeOf(order.trade).stake) : '–') },
  { head: 'Result', cell: (order) => <Outcome order={order} /> },
  { head: 'Profit', kind: 'figure', cell: result },
]

const FEW_COLUMNS: Column<AutomaticOrder>[] = [
  {
    head: 'Signal',
    kind: 'name',
    cell: (order) => (
      <Stack>
        {signalName(order)}
        <span>{time(order)}</span>
      </Stack>
    ),
  },
  { head: 'Result', cell: (order) => <Outcome order={order} /> },
  {
    head: 'Profit, stake',
    kind: 'figure',
    cell: (order) => (
      <Stack>
        {result(order)}
        <span>{order.trade ? formatUsd(tradeOf(order.trade).stake) : '–'}</span>
      </Stack>
    ),
  },
]

function OrderCard({ order }: { order: AutomaticOrder }) {
  return (
    <>
      <CardLine>
        {signalName(order)}
        {result(order)}
      </CardLine>
      <CardLine quiet>
        {time(order)}
        {order.trade && <span>{formatUsd(tradeOf(order.trade).stake)}</span>}
      </CardLine>
      <CardLine quiet>
        <Outcome order={order} />
      </CardLine>
    </>
  )
}
