import { Ban, Check, Equal, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { Trade } from '#web/api/index.ts'
import {
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
import { settledWatch } from './settled.ts'
import styles from './trade-toasts.module.css'

const SHOWN_MS = { placed: 3_000, settled: 8_000 } as const

type TradeToast = { is: 'placed'; trade: Trade } | { is: 'settled'; trades: readonly Trade[] }

/** Keeps the newest toast and removes it after a while, but not while the pointer is over it. */
export function useTradeToasts(trades: readonly Trade[]) {
  const watch = useRef(settledWatch())
  const [toast, setToast] = useState<TradeToast>()
  const [held, setHeld] = useState(false)

  useEffect(() => {
    const settled = watch.current(trades)
    if (settled.length === 0) return
    setToast((now) => ({ is: 'settled', trades: now?.is === 'settled' ? [...settled, ...now.trades] : settled }))
  }, [trades])

  useEffect(() => {
    if (!toast || held) return
    const timer = setTimeout(() => setToast(undefined), SHOWN_MS[toast.is])
    return () => clearTimeout(timer)
  }, [toast, held])

  return {
    toast,
    placed: (trade: Trade) => setToast({ is: 'placed', trade }),
    close: () => setToast(undefined),
    hold: setHeld,
  }
}

const OUTCOME = {
  Won: { icon: Check, look: 'won' },
  Lost: { icon: X, look: 'lost' },
  Draw: { icon: Equal, look: 'even' },
  Void: { icon: Ban, look: 'even' },
} as const

interface TradeToastsProps extends Omit<ReturnType<typeof useTradeToasts>, 'placed'> {
  scaleOf: (symbol: string) => number | undefined
}

/**
 * A quiet card: an order was placed, or a trade ended, and how. It takes no focus, and never covers the mode, the
 * balance, the menu or the order.
 */
export function TradeToasts({ toast, close, hold, scaleOf }: TradeToastsProps) {
  return (
    <div className={styles.place} role="status" aria-live="polite">
      {toast && (
        <div className={styles.card} onPointerEnter={() => hold(true)} onPointerLeave={() => hold(false)}>
          {toast.is === 'placed' ? <Placed trade={toast.trade} /> : <Settled trades={toast.trades} scaleOf={scaleOf} />}
          <Button look="quiet" size="small" className={styles.close} aria-label="Dismiss" onClick={close}>
            <X aria-hidden />
          </Button>
        </div>
      )}
    </div>
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

function Settled({ trades, scaleOf }: { trades: readonly Trade[]; scaleOf: TradeToastsProps['scaleOf'] }) {
  const newest = trades[0]
  if (!newest || newest.status === 'Pending') return null
  const sum = roundToCents(trades.reduce((total, trade) => total + (profitOf(trade) ?? 0), 0))
  const isOne = trades.length === 1
  const { icon: Icon, look } = isOne ? OUTCOME[newest.status] : OUTCOME[sum > 0 ? 'Won' : sum < 0 ? 'Lost' : 'Draw']
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
  return <FromTo from={formatPrice(trade.entry_price, scale)} to={formatPrice(trade.exit_price, scale)} />
}
