import type { ReactNode } from 'react'
import type { Trade } from '#web/client/index.ts'
import { Modal } from '../feedback/modal.tsx'
import { formatDate, formatDuration, formatExactTime, formatPrice, formatUsd } from '../format.ts'
import { CopyText, Fact, Facts } from '../lists/facts.tsx'
import { useLast } from '../use-last.ts'
import styles from './trade-details.module.css'
import { Change, Side, StatusBadge } from './trade-parts.tsx'
import { profitOf } from './trade-words.ts'

/**
 * All details of a trade, in a modal; `undefined` closes it. `scale`: decimals of its symbol's prices. `receipt`: the
 * part that shows a trade's receipt. `problem`: the part that reports a problem with it.
 */
export function TradeDetails({
  trade,
  scale,
  receipt,
  problem,
  onClose,
}: {
  trade: Trade | undefined
  scale: number | undefined
  receipt: (trade: Trade, isOpen: boolean) => ReactNode
  problem: (trade: Trade, isOpen: boolean) => ReactNode
  onClose: () => void
}) {
  const shown = useLast(trade)
  return (
    <Modal open={trade !== undefined} onClose={onClose} title={shown ? `${shown.side} ${shown.symbol}` : 'Trade'} sheet>
      {shown && (
        <Details
          trade={shown}
          scale={scale}
          receipt={receipt(shown, trade !== undefined)}
          problem={problem(shown, trade !== undefined)}
        />
      )}
    </Modal>
  )
}

const exactTime = (time: string): string => `${formatDate(time)} ${formatExactTime(time)}`

interface DetailsProps {
  trade: Trade
  scale: number | undefined
  receipt: ReactNode
  problem: ReactNode
}

function Details({ trade, scale, receipt, problem }: DetailsProps) {
  return (
    <div className={styles.details}>
      <div className={styles.head}>
        <StatusBadge status={trade.status} />
        <span className={styles.sum}>
          <Change amount={profitOf(trade)} />
        </span>
      </div>
      {trade.outcome_reason && <p className={styles.reason}>{trade.outcome_reason}</p>}
      {receipt}
      <Facts>
        <Fact name="Direction">
          <Side side={trade.side} />
        </Fact>
        <Fact name="Amount">{formatUsd(trade.stake)}</Fact>
        <Fact name="Payout if you win">
          {trade.percent}% (strike rate {trade.strike_rate})
        </Fact>
        <Fact name="Duration">{formatDuration(trade.duration)}</Fact>
        <Fact name="Placed">{exactTime(trade.trade_time)}</Fact>
        <Fact name="Entry price">{formatPrice(trade.entry_price, scale)}</Fact>
        {trade.entry_time && <Fact name="Entry time">{exactTime(trade.entry_time)}</Fact>}
        <Fact name={trade.status === 'Pending' ? 'Ends' : 'Ended'}>{exactTime(trade.end_time)}</Fact>
        <Fact name="Exit price">{formatPrice(trade.exit_price, scale)}</Fact>
        {trade.exit_time && <Fact name="Exit time">{exactTime(trade.exit_time)}</Fact>}
        {trade.payout !== undefined && <Fact name="Payout">{formatUsd(trade.payout)}</Fact>}
        {trade.signal !== undefined && <Fact name="Automatic">Followed signal {trade.signal}</Fact>}
        <Fact name="Account">{trade.mode === 'demo' ? 'Demo' : 'Live'}</Fact>
        <Fact name="Rules">{trade.rule_version}</Fact>
        <Fact name="Trade ID">
          <CopyText text={trade.trade_id} what="trade ID" />
        </Fact>
      </Facts>
      {problem}
    </div>
  )
}
