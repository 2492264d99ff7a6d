import { type Trade, useKnown } from '#web/api/index.ts'
import {
  Change,
  cx,
  formatCountdown,
  formatTime,
  ifEndedNow,
  StandingNow,
  signedAmount,
  timeLeftWords,
} from '#web/ui/index.ts'
import styles from './standing.module.css'

/** Whether an open trade is winning, and its profit if it ended now; the last known without prices. */
export function LiveStanding({ trade }: { trade: Trade }) {
  const { price, isLast } = useKnown(trade.symbol)
  const now = ifEndedNow(trade, price)
  if (!isLast) return trade.entry_price !== undefined && !now ? <>–</> : <StandingNow now={now} />
  return <span className={styles.last}>last known {now ? signedAmount(now.change) : '–'}</span>
}

/** The result of an open trade if it ended now, in large, and the time left. */
export function OpenResult({ trade, className }: { trade: Trade; className: string | undefined }) {
  const { price, isLast } = useKnown(trade.symbol)
  const now = ifEndedNow(trade, price)
  return (
    <>
      <span className={className}>
        <Change amount={now?.change} unit="$" />
      </span>
      <span className={styles.note}>
        {now === undefined && trade.entry_price === undefined ? 'Entering…' : isLast ? 'Last known' : 'If it ended now'}
        <span aria-hidden> · time left </span>
        <TimeLeft trade={trade} isShort />
      </span>
    </>
  )
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
