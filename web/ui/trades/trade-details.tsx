import { ListTree, NotebookPen, ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Trade } from '#web/client/index.ts'
import { Badge } from '../badge.tsx'
import { Modal } from '../feedback/modal.tsx'
import { formatDuration, formatUsd } from '../format.ts'
import { CopyText, Fact, Facts } from '../lists/facts.tsx'
import { useLast } from '../use-last.ts'
import { answerOf } from './answer.ts'
import { Fold } from './fold.tsx'
import styles from './trade-details.module.css'
import { Change, Side, StatusBadge } from './trade-parts.tsx'
import { TradeTimes } from './trade-times.tsx'
import { noteLine, profitOf } from './trade-words.ts'

/** What only a room above knows of a trade; each is asked with whether the details are open. */
interface TradeParts {
  /** What the price did. */
  chart: (trade: Trade, isOpen: boolean) => ReactNode
  /** What can be done with it. */
  actions: (trade: Trade) => ReactNode
  /** Reports a problem with it. */
  problem: (trade: Trade, isOpen: boolean) => ReactNode
  receipt: (trade: Trade, isOpen: boolean) => ReactNode
  /** What the trader wrote about it. */
  note: (trade: Trade, isOpen: boolean) => ReactNode
  /** The waiting order that placed it. */
  order: (id: string, isOpen: boolean) => ReactNode
}

interface TradeDetailsProps extends TradeParts {
  /** `undefined` closes it. */
  trade: Trade | undefined
  /** Decimals of its symbol's prices. */
  scale: number | undefined
  onClose: () => void
}

/** One answer about a trade, in a modal: won or lost, how much and why; the proof and all details are folded below. */
export function TradeDetails({ trade, onClose, ...parts }: TradeDetailsProps) {
  const shown = useLast(trade)
  return (
    <Modal open={trade !== undefined} onClose={onClose} title={shown ? `${shown.side} ${shown.symbol}` : 'Trade'} sheet>
      {shown && <Details key={shown.trade_id} trade={shown} isOpen={trade !== undefined} {...parts} />}
    </Modal>
  )
}

interface DetailsProps extends TradeParts {
  trade: Trade
  isOpen: boolean
  scale: number | undefined
}

function Details({ trade, isOpen, scale, chart, actions, problem, receipt, note, order }: DetailsProps) {
  return (
    <div className={styles.details}>
      <div className={styles.answer}>
        <div className={styles.head}>
          <StatusBadge status={trade.status} />
          <Badge>{trade.mode === 'demo' ? 'Demo' : 'Live'}</Badge>
        </div>
        {trade.payout !== undefined && (
          <span className={styles.sum}>
            <Change amount={profitOf(trade)} unit="$" />
          </span>
        )}
        <p className={styles.words}>{answerOf(trade, Date.now())}</p>
      </div>
      {trade.status === 'Void' && trade.outcome_reason && <p className={styles.reason}>{trade.outcome_reason}</p>}
      {chart(trade, isOpen)}
      {actions(trade)}
      {problem(trade, isOpen)}
      <div>
        <Fold
          icon={<ShieldCheck aria-hidden />}
          title="Prove it"
          hint={trade.status === 'Pending' ? 'hash of your order' : 'signed receipt, checked on this device'}
        >
          {(isUnfolded) => receipt(trade, isOpen && isUnfolded)}
        </Fold>
        <Fold icon={<NotebookPen aria-hidden />} title="Note and tags" hint={noteLine(trade) || 'for yourself'}>
          {(isUnfolded) => note(trade, isOpen && isUnfolded)}
        </Fold>
        <Fold icon={<ListTree aria-hidden />} title="All details" hint="ID, odds, rules, times in ms">
          {(isUnfolded) => <AllDetails trade={trade} scale={scale} order={(id) => order(id, isOpen && isUnfolded)} />}
        </Fold>
      </div>
    </div>
  )
}

interface AllDetailsProps extends Pick<DetailsProps, 'trade' | 'scale'> {
  order: (id: string) => ReactNode
}

function AllDetails({ trade, scale, order }: AllDetailsProps) {
  return (
    <Facts>
      <Fact name="Direction">
        <Side side={trade.side} />
      </Fact>
      <Fact name="Amount">{formatUsd(trade.stake)}</Fact>
      <Fact name="Payout if you win">
        {trade.percent}% (strike rate {trade.strike_rate})
      </Fact>
      <Fact name="Duration">{formatDuration(trade.duration)}</Fact>
      <TradeTimes trade={trade} scale={scale} />
      {trade.payout !== undefined && <Fact name="Payout">{formatUsd(trade.payout)}</Fact>}
      {trade.signal !== undefined && <Fact name="Automatic">Followed signal {trade.signal}</Fact>}
      {trade.waiting_order !== undefined && <Fact name="Waiting order">{order(trade.waiting_order)}</Fact>}
      <Fact name="Account">{trade.mode === 'demo' ? 'Demo' : 'Live'}</Fact>
      <Fact name="Rules">{trade.rule_version}</Fact>
      <Fact name="Trade ID">
        <CopyText text={trade.trade_id} what="trade ID" />
      </Fact>
    </Facts>
  )
}
