import { X } from 'lucide-react'
import type { WaitingOrder } from '#contract/trading/waiting.ts'
import { useRequest } from '#web/api/index.ts'
import { Button, cx, formatDateTime, formatDuration, formatUsd, Side, toast, waitingWords } from '#web/ui/index.ts'
import { cancelWaiting } from './use-waiting.ts'
import styles from './waiting-list.module.css'

/** The orders that wait, and those that ended last. */
export default function WaitingList({ orders }: { orders: readonly WaitingOrder[] }) {
  return (
    <ul className={styles.list} aria-label="Waiting orders">
      {orders.map((order) => (
        <Row key={order.id} order={order} />
      ))}
    </ul>
  )
}

function Row({ order }: { order: WaitingOrder }) {
  const { loading, run } = useRequest((message) => toast.error(message))
  const { status, trade_mode, symbol, amount, duration, percent } = order
  const terms = `${formatUsd(amount)} · ${formatDuration(duration)} · ${percent}%`
  const isOpen = status === 'Waiting'
  return (
    <li className={cx(styles.row, !isOpen && styles.ended)}>
      <span className={styles.name}>
        <Side side={trade_mode} /> {symbol}
      </span>
      <span className={styles.condition}>{waitingWords(order)}</span>
      <span className={styles.terms}>{terms}</span>
      <span className={styles.state}>{stateWords(order)}</span>
      {isOpen && (
        <Button
          look="quiet"
          size="small"
          icon
          className={styles.cancel}
          loading={loading}
          title="Cancel"
          aria-label={`Cancel ${trade_mode} ${symbol} ${waitingWords(order)}`}
          onClick={() =>
            run(async () => {
              await cancelWaiting(order)
              toast.success('Order cancelled.')
            })
          }
        >
          <X aria-hidden />
        </Button>
      )}
    </li>
  )
}

/** Until when an order is valid, or how it ended. */
function stateWords({ status, valid_until, at, triggered, reason, ended_at }: WaitingOrder): string {
  if (status === 'Waiting')
    return at ? formatDateTime(at) : valid_until ? `until ${formatDateTime(valid_until)}` : 'until cancelled'
  if (status === 'Triggered') return 'being placed'
  if (status === 'Expired') return `expired ${formatDateTime(ended_at ?? '')}`
  if (status === 'Refused') return `no trade: ${reason ?? ''}`
  return `traded ${formatDateTime(triggered?.at ?? '')}`
}
