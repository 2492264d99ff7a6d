import type { Trade } from '#contract/trading.ts'
import { CopyText, Fact, Facts } from './facts.tsx'
import { formatDateTime, formatDuration, formatPrice, formatUsd } from './format.ts'
import { Modal } from './modal.tsx'
import styles from './trade-details.module.css'
import { Change, Side, StatusBadge } from './trade-parts.tsx'
import { profitOf } from './trade-words.ts'
import { useLast } from './use-last.ts'

/** All details of a trade, in a modal; `undefined` closes it. `scale`: decimals of its symbol's prices. */
export function TradeDetails({
  trade,
  scale,
  onClose,
}: {
  trade: Trade | undefined
  scale: number | undefined
  onClose: () => void
}) {
  const shown = useLast(trade)
  return (
    <Modal
      open={trade !== undefined}
      onClose={onClose}
      title={shown ? `${shown.trade_mode} ${shown.symbol}` : 'Trade'}
      sheet
    >
      {shown && <Details trade={shown} scale={scale} />}
    </Modal>
  )
}

/** A time with milliseconds, which decide entry and exit. */
const exactTime = (time: string): string =>
  `${formatDateTime(time)}.${String(new Date(time).getMilliseconds()).padStart(3, '0')}`

function Details({ trade, scale }: { trade: Trade; scale: number | undefined }) {
  return (
    <div className={styles.details}>
      <div className={styles.head}>
        <StatusBadge status={trade.status} />
        <span className={styles.sum}>
          <Change amount={profitOf(trade)} />
        </span>
      </div>
      {trade.outcome_reason && <p className={styles.reason}>{trade.outcome_reason}</p>}
      <Facts>
        <Fact name="Direction">
          <Side side={trade.trade_mode} />
        </Fact>
        <Fact name="Amount">{formatUsd(trade.amount)}</Fact>
        <Fact name="Payout if you win">
          {trade.percent}% (strike rate {trade.strike_rate})
        </Fact>
        <Fact name="Duration">{formatDuration(trade.duration)}</Fact>
        <Fact name="Placed">{exactTime(trade.trade_time)}</Fact>
        <Fact name="Entry price">{formatPrice(trade.start_price, scale)}</Fact>
        {trade.start_time && <Fact name="Entry time">{exactTime(trade.start_time)}</Fact>}
        <Fact name={trade.status === 'Pending' ? 'Ends' : 'Ended'}>{exactTime(trade.end_time)}</Fact>
        <Fact name="Exit price">{formatPrice(trade.end_price, scale)}</Fact>
        {trade.exit_time && <Fact name="Exit time">{exactTime(trade.exit_time)}</Fact>}
        {trade.payout !== undefined && <Fact name="Payout">{formatUsd(trade.payout)}</Fact>}
        <Fact name="Account">{trade.mode === 'demo' ? 'Demo' : 'Live'}</Fact>
        <Fact name="Rules">{trade.rule_version}</Fact>
        <Fact name="Trade ID">
          <CopyText text={trade.trade_id} what="trade ID" />
        </Fact>
      </Facts>
    </div>
  )
}
