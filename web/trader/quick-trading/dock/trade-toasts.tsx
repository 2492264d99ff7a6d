import { X } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import type { Trade } from '#web/api/index.ts'
import { Button, cx, HEADER_ROOM } from '#web/ui/index.ts'
import { settledWatch, unsoldWatch } from './settled.ts'
import type { TradeToast } from './toast-words.tsx'
import styles from './trade-toasts.module.css'

const SHOWN_MS = { placed: 3_000, settled: 8_000, unsold: 8_000 } as const

/** Keeps the newest toast and removes it after a while, but not while the pointer is over it. */
export function useTradeToasts(trades: readonly Trade[]) {
  const watch = useRef(settledWatch())
  const unsold = useRef(unsoldWatch())
  const [toast, setToast] = useState<TradeToast>()
  const [held, setHeld] = useState(false)

  useEffect(() => {
    const [trade] = unsold.current(trades)
    if (trade) setToast({ is: 'unsold', trade })
  }, [trades])

  useEffect(() => {
    const settled = watch.current(trades)
    if (settled.length === 0) return
    const isFirst = trades.every((trade) => trade.status === 'Pending' || settled.includes(trade))
    setToast((now) => ({
      is: 'settled',
      trades: now?.is === 'settled' ? [...settled, ...now.trades] : settled,
      isFirst: isFirst && settled.length === 1,
    }))
  }, [trades])

  useEffect(() => {
    // The very first result stays until it's closed.
    if (!toast || held || (toast.is === 'settled' && toast.isFirst)) return
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

/** The narrowest card, px. */
const CARD_WIDTH = 184

/** Returns the free part of the header while a card fits in there. */
function useHeaderRoom(): HTMLElement | null {
  const [room, setRoom] = useState<HTMLElement | null>(null)
  useEffect(() => {
    const header = document.getElementById(HEADER_ROOM)
    if (!header) return
    const observer = new ResizeObserver(() => setRoom(header.clientWidth >= CARD_WIDTH ? header : null))
    observer.observe(header)
    return () => observer.disconnect()
  }, [])
  return room
}

/** Loaded with the first toast. */
const ToastWords = lazy(() => import('./toast-words.tsx'))

interface TradeToastsProps extends Omit<ReturnType<typeof useTradeToasts>, 'placed'> {
  scaleOf: (symbol: string) => number | undefined
  /** Opens a trade's details, which hold its proof. */
  onProof: (tradeId: string) => void
}

/**
 * A quiet card: an order was placed, or a trade ended, and how. It takes no focus, and never covers the mode, the
 * balance, the menu, the order or the dock.
 */
export function TradeToasts({ toast, close, hold, scaleOf, onProof }: TradeToastsProps) {
  const room = useHeaderRoom()
  const place = (
    <div className={cx(styles.place, room !== null && styles.inHeader)} role="status" aria-live="polite">
      {toast && (
        <Suspense>
          <div className={styles.card} onPointerEnter={() => hold(true)} onPointerLeave={() => hold(false)}>
            <ToastWords
              toast={toast}
              scaleOf={scaleOf}
              onProof={(tradeId) => {
                close()
                onProof(tradeId)
              }}
            />
            <Button look="quiet" size="small" className={styles.close} aria-label="Dismiss" onClick={close}>
              <X aria-hidden />
            </Button>
          </div>
        </Suspense>
      )}
    </div>
  )
  return room ? createPortal(place, room) : place
}
