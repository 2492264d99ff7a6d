import type { Trade } from '#web/api/index.ts'
import { endOf } from '#web/client/index.ts'
import {
  Change,
  cx,
  formatCountdown,
  formatDateTime,
  formatDuration,
  formatPrice,
  formatTime,
  ifEndedNow,
  profitOf,
  StandingNow,
  StatusBadge,
  signedAmount,
  timeLeftWords,
} from '#web/ui/index.ts'
import { useKnown } from '../market/use-known.ts'
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

export function LiveStanding({ trade }: { trade: Trade }) {
  const { price, isLast } = useKnown(trade.symbol)
  const now = ifEndedNow(trade, price)
  if (!isLast) return trade.entry_price !== undefined && !now ? <>–</> : <StandingNow now={now} />
  return <span className={styles.last}>last known {now ? signedAmount(now.change) : '–'}</span>
}

/** The countdown, with a shrinking bar unless it's `isShort`. It stops with the prices, and then says when that was. */
export function TimeLeft({ trade, isShort }: { trade: Trade; isShort?: boolean }) {
  const { nowMs, isLast } = useKnown(trade.symbol)
  const left = nowMs === undefined ? undefined : Date.parse(trade.end_time) - nowMs
  return (
    <span className={cx(styles.left, isShort && styles.short, isLast && styles.last)}>
      <span aria-hidden>
        {left === undefined ? '–' : left > 0 ? formatCountdown(left) : 'Settling…'}
        {isLast && nowMs !== undefined && ` at ${formatTime(nowMs)}`}
      </span>
      <span className="visually-hidden">
        {left === undefined ? 'time left unknown' : left > 0 ? `${timeLeftWords(left)} left` : 'Settling'}
        {isLast && nowMs !== undefined && ` at ${formatTime(nowMs)}`}
      </span>
      {!isShort && (
        <progress
          className={styles.progress}
          max={trade.duration}
          value={Math.max(0, (left ?? trade.duration * 1_000) / 1_000)}
          aria-hidden
        />
      )}
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
