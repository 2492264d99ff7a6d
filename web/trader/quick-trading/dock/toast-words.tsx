import { Ban, Check, Equal, HandCoins, X } from 'lucide-react'
import type { Trade } from '#web/api/index.ts'
import {
  answerOf,
  Button,
  cx,
  FromTo,
  formatDuration,
  formatPrice,
  formatUsd,
  formatUsdSigned,
  profitOf,
  roundToCents,
  Side,
} from '#web/ui/index.ts'
import styles from './toast-words.module.css'

export type TradeToast =
  | { is: 'placed'; trade: Trade }
  /** An order to sell found no price that is good enough. */
  | { is: 'unsold'; trade: Trade }
  | {
      is: 'settled'
      trades: readonly Trade[]
      /** The trader's first result. */
      isFirst: boolean
    }

const OUTCOME = {
  Won: { icon: Check, look: 'won' },
  Lost: { icon: X, look: 'lost' },
  Draw: { icon: Equal, look: 'even' },
  Void: { icon: Ban, look: 'even' },
} as const

/** How a result looks. A sale looks like what it brought. */
function lookOf(status: Exclude<Trade['status'], 'Pending'>, profit: number) {
  if (status !== 'Sold') return OUTCOME[status]
  return { icon: HandCoins, look: profit > 0 ? 'won' : profit < 0 ? 'lost' : 'even' } as const
}

interface ToastWordsProps {
  toast: TradeToast
  scaleOf: (symbol: string) => number | undefined
  onProof: (tradeId: string) => void
}

/** What a toast says. */
export default function ToastWords({ toast, scaleOf, onProof }: ToastWordsProps) {
  if (toast.is === 'placed') return <Placed trade={toast.trade} />
  if (toast.is === 'unsold') return <Unsold trade={toast.trade} />
  const [first] = toast.trades
  if (toast.isFirst && first) return <FirstResult trade={first} onProof={() => onProof(first.trade_id)} />
  return <Settled trades={toast.trades} scaleOf={scaleOf} />
}

/** The trader's first result: what happened, and the way to its proof. */
function FirstResult({ trade, onProof }: { trade: Trade; onProof: () => void }) {
  if (trade.status === 'Pending') return null
  const { icon: Icon, look } = lookOf(trade.status, profitOf(trade) ?? 0)
  return (
    <>
      <span className={cx(styles.icon, styles[look])} aria-hidden>
        <Icon />
      </span>
      <div className={styles.first}>
        <p className={styles.words}>
          <span className={styles.strong}>
            {trade.status}{' '}
            <span className={styles[look]}>
              {look === 'even' ? 'stake returned' : formatUsdSigned(profitOf(trade) ?? 0)}
            </span>
          </span>
          <span className={cx(styles.quiet, styles.brief)}>{answerOf(trade, Date.now())}</span>
        </p>
        <Button look="secondary" size="small" className={styles.proof} onClick={onProof}>
          See the proof
        </Button>
      </div>
    </>
  )
}

function Placed({ trade }: { trade: Trade }) {
  return (
    <p className={styles.words}>
      <span className={styles.strong}>
        <Side side={trade.side} /> {trade.symbol}
      </span>
      <span className={styles.quiet}>
        {formatUsd(trade.stake)} for {formatDuration(trade.duration)}, placed
      </span>
    </p>
  )
}

function Unsold({ trade }: { trade: Trade }) {
  return (
    <p className={styles.words}>
      <span className={styles.strong}>
        Not sold: <Side side={trade.side} /> {trade.symbol}
      </span>
      <span className={styles.quiet}>{trade.sale?.reason} It keeps running.</span>
    </p>
  )
}

function Settled({ trades, scaleOf }: { trades: readonly Trade[]; scaleOf: ToastWordsProps['scaleOf'] }) {
  const newest = trades[0]
  if (!newest || newest.status === 'Pending') return null
  const sum = roundToCents(trades.reduce((total, trade) => total + (profitOf(trade) ?? 0), 0))
  const isOne = trades.length === 1
  const { icon: Icon, look } = isOne ? lookOf(newest.status, sum) : OUTCOME[sum > 0 ? 'Won' : sum < 0 ? 'Lost' : 'Draw']
  return (
    <>
      <span className={cx(styles.icon, styles[look])} aria-hidden>
        <Icon />
      </span>
      <p className={styles.words}>
        <span className={styles.strong}>
          {isOne ? newest.status : `${trades.length} trades settled`}{' '}
          <span className={styles[look]}>{isOne && look === 'even' ? 'stake returned' : formatUsdSigned(sum)}</span>
        </span>
        <span className={styles.quiet}>
          {isOne ? (
            <>
              {newest.side} {newest.symbol} <Prices trade={newest} scale={scaleOf(newest.symbol)} />
            </>
          ) : (
            `latest: ${newest.side} ${newest.symbol}, ${newest.status}`
          )}
        </span>
      </p>
    </>
  )
}

/** Entry and exit price, if the trade has both. */
function Prices({ trade, scale }: { trade: Trade; scale: number | undefined }) {
  if (trade.entry_price === undefined || trade.exit_price === undefined) return null
  return (
    <span className={styles.brief}>
      <FromTo from={formatPrice(trade.entry_price, scale)} to={formatPrice(trade.exit_price, scale)} />
    </span>
  )
}
