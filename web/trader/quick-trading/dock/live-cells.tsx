import { type Trade, useKnown } from '#web/api/index.ts'
import { endOf } from '#web/client/index.ts'
import { LiveStanding } from '#web/trades/index.ts'
import {
  Change,
  cx,
  formatDateTime,
  formatDuration,
  formatPrice,
  formatTime,
  profitOf,
  StatusBadge,
} from '#web/ui/index.ts'
import styles from './live-cells.module.css'

/** The newest price of an open trade, or the exit price of a settled one. */
export function NowOrExit({ trade, scale }: { trade: Trade; scale: number | undefined }) {
  return trade.status === 'Pending' ? <LivePrice trade={trade} scale={scale} /> : formatPrice(trade.exit_price, scale)
}

function LivePrice({ trade, scale }: { trade: Trade; scale: number | undefined }) {
  const { price, isLast } = useKnown(trade.symbol)
  return <span className={cx(isLast && styles.last)}>{formatPrice(price, scale)}</span>
}

/** The standing of an open trade, or the result of a settled one. */
export function Result({ trade }: { trade: Trade }) {
  return trade.status === 'Pending' ? (
    <LiveStanding trade={trade} />
  ) : (
    <span className={styles.result}>
      <StatusBadge status={trade.status} />
      <Change amount={profitOf(trade)} />
    </span>
  )
}

export function Ended({ trade }: { trade: Trade }) {
  return (
    <time dateTime={endOf(trade)} title={`${formatDateTime(endOf(trade))}, after ${formatDuration(trade.duration)}`}>
      {formatTime(endOf(trade))}
    </time>
  )
}
