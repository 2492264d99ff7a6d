import { ListTree, NotebookPen, ShieldCheck, ShieldX } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { type Trade, useDebounced } from '#web/api/index.ts'
import { ReportProblem } from '#web/complaints/index.ts'
import { TradeChart, TradeNote, TradeOrder, TradeReceipt } from '#web/receipts/index.ts'
import {
  answerOf,
  Badge,
  Change,
  CopyText,
  Fact,
  Facts,
  formatDuration,
  formatUsd,
  formatUsdSigned,
  Modal,
  noteLine,
  profitOf,
  Side,
  StatusBadge,
  statusWord,
  TradeTimes,
  useLast,
} from '#web/ui/index.ts'
import { Fold } from './fold.tsx'
import { isForSale } from './sale/sale-quote.ts'
import { SellButton } from './sale/sell-button.tsx'
import { OpenResult } from './standing.tsx'
import styles from './trade-details.module.css'
import { neighbour, useDetailsKeys } from './use-details-keys.ts'

/** A trade that is passed this fast is not looked at: nothing is read for it, ms. */
const PASSED_MS = 250

interface TradeDetailsProps {
  /** `undefined` closes it. */
  trade: Trade | undefined
  /** Decimals of its symbol's prices. */
  scale: number | undefined
  /** The IDs of the list that it was opened from: Up and Down step through it. */
  among: readonly string[]
  onStep: (tradeId: string) => void
  /** Repeats it. While it can be sold, that is in its place. */
  repeat: (trade: Trade) => ReactNode
  /** What else can be done with it. */
  more?: (trade: Trade) => ReactNode
  onClose: () => void
}

/** One answer about a trade, in a sheet: won or lost, how much and why; the proof and all details are folded below. */
export function TradeDetails({ trade, among, onStep, onClose, ...parts }: TradeDetailsProps) {
  const shown = useLast(trade)
  const id = trade?.trade_id
  const [stepped, setStepped] = useState<string>()
  const isStepped = id !== undefined && stepped === id
  const isPassed = useDebounced(id, PASSED_MS) !== id && isStepped
  const step = (by: 1 | -1) => {
    const to = neighbour(among, id, by)
    if (to === undefined) return
    setStepped(to)
    onStep(to)
  }
  return (
    <Modal
      open={trade !== undefined}
      onClose={onClose}
      title={shown ? `${shown.side} ${shown.symbol}` : 'Trade'}
      note={shown && <ModeOf trade={shown} />}
      side
    >
      <p className="visually-hidden" role="status">
        {trade && isStepped && `${wordsOf(trade)}, ${among.indexOf(trade.trade_id) + 1} of ${among.length}`}
      </p>
      {shown && (
        <Details
          key={shown.trade_id}
          trade={shown}
          isOpen={trade !== undefined}
          isRead={trade !== undefined && !isPassed}
          onStep={step}
          {...parts}
        />
      )}
    </Modal>
  )
}

/** Which account's it is, in its colour, whichever is in use. */
const ModeOf = ({ trade: { mode } }: { trade: Trade }) => (
  <span data-mode={mode}>
    <Badge tone="mode">{mode === 'demo' ? 'Demo' : 'Live'}</Badge>
  </span>
)

function wordsOf(trade: Trade): string {
  const profit = profitOf(trade)
  const words = `${trade.side} ${trade.symbol}, ${statusWord(trade.status)}`
  return profit === undefined ? words : `${words}, ${formatUsdSigned(profit)}`
}

interface DetailsProps extends Pick<TradeDetailsProps, 'scale' | 'repeat' | 'more'> {
  trade: Trade
  isOpen: boolean
  /** Whether what isn't known of it yet is read. */
  isRead: boolean
  onStep: (by: 1 | -1) => void
}

function Details({ trade, isOpen, isRead, scale, repeat, more, onStep }: DetailsProps) {
  const { trade_id, status } = trade
  const content = useRef<HTMLDivElement>(null)
  const [isProved, setProved] = useState(false)
  useDetailsKeys(isOpen, content, { onStep, onProof: () => setProved(!isProved) })
  return (
    <div ref={content} className={styles.details}>
      <div className={styles.answer}>
        <StatusBadge status={status} />
        {trade.payout !== undefined && (
          <span className={styles.sum}>
            <Change amount={profitOf(trade)} unit="$" />
          </span>
        )}
        {status === 'Pending' && <OpenResult trade={trade} className={styles.sum} />}
        <p className={styles.words}>{answerOf(trade, Date.now())}</p>
      </div>
      {status === 'Void' && trade.outcome_reason && <p className={styles.reason}>{trade.outcome_reason}</p>}
      <TradeChart trade={trade} scale={scale} isOpen={isRead} />
      <div className={styles.actions}>
        {isForSale(trade) ? <SellButton trade={trade} isLarge /> : repeat(trade)}
        {status !== 'Pending' && <ReportProblem item="trade" itemId={trade_id} isOpen={isRead} />}
        {more?.(trade)}
      </div>
      <div>
        <Proof trade={trade} isRead={isRead} state={[isProved, setProved]} />
        <Fold icon={<NotebookPen aria-hidden />} title="Note and tags" hint={noteLine(trade) || 'for yourself'}>
          {(isUnfolded) => <TradeNote trade={trade} isOpen={isRead && isUnfolded} />}
        </Fold>
        <Fold icon={<ListTree aria-hidden />} title="All details" hint="ID, odds, rules, times in ms">
          {(isUnfolded) => <AllDetails trade={trade} scale={scale} isOpen={isRead && isUnfolded} />}
        </Fold>
      </div>
    </div>
  )
}

interface ProofProps extends Pick<DetailsProps, 'trade' | 'isRead'> {
  state: [boolean, (isOpen: boolean) => void]
}

/** The receipt, which is checked at once: it stays folded unless the check fails. */
function Proof({ trade, isRead, state }: ProofProps) {
  const [isFalse, setFalse] = useState(false)
  const [, setOpen] = state
  const hint = trade.status === 'Pending' ? 'hash of your order' : 'signed receipt, checked on this device'
  return (
    <Fold
      icon={isFalse ? <ShieldX aria-hidden /> : <ShieldCheck aria-hidden />}
      title="Prove it"
      hint={isFalse ? 'a check failed' : hint}
      state={state}
      isRed={isFalse}
    >
      {(isUnfolded) => (
        <TradeReceipt
          trade={trade}
          isOpen={isRead}
          isUnfolded={isUnfolded}
          onChecked={(isGenuine) => {
            setFalse(!isGenuine)
            if (!isGenuine) setOpen(true)
          }}
        />
      )}
    </Fold>
  )
}

function AllDetails({ trade, scale, isOpen }: Pick<DetailsProps, 'trade' | 'scale' | 'isOpen'>) {
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
      {trade.waiting_order !== undefined && (
        <Fact name="Waiting order">
          <TradeOrder id={trade.waiting_order} isOpen={isOpen} />
        </Fact>
      )}
      <Fact name="Account">{trade.mode === 'demo' ? 'Demo' : 'Live'}</Fact>
      <Fact name="Rules">{trade.rule_version}</Fact>
      <Fact name="Trade ID">
        <CopyText text={trade.trade_id} what="trade ID" />
      </Fact>
    </Facts>
  )
}
