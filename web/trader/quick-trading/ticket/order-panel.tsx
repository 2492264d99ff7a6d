import { Keyboard } from 'lucide-react'
import { lazy, Suspense } from 'react'
import type { Trade } from '#web/api/index.ts'
import { Badge, Button, cx, formatTime, useMedia } from '#web/ui/index.ts'
import { useWait } from '../waiting/wait.ts'
import { BlockNotice } from './block-notice.tsx'
import { OrderFields } from './fields/order-fields.tsx'
import { isOld, type OrderBlock } from './order-block.ts'
import { OrderButtons } from './order-buttons.tsx'
import styles from './order-panel.module.css'
import { Presets } from './presets.tsx'
import type { Keys } from './use-keys.ts'
import type { OrderForm } from './use-order-form.ts'

const OrderRecord = lazy(() => import('./order-record.tsx'))
/** The fields and both sentences leave room for the record. */
const HAS_ROOM = '(width >= 1600px) and (height >= 940px)'

interface OrderPanelProps {
  form: OrderForm
  block: OrderBlock | undefined
  /** Nothing can be placed yet: the order is still loading. */
  loading: boolean
  keys: Keys
  /** The settled trades that the screen knows. */
  settled: readonly Trade[]
  onSymbol: (symbol: string) => void
  onHelp: () => void
}

/** The order panel: market, duration, strike rate and stake; then what each side means, and Buy or Sell. */
export function OrderPanel({ form, block, loading, keys, settled, onSymbol, onHelp }: OrderPanelProps) {
  const isLive = form.mode === 'real'
  const hasRoom = useMedia(HAS_ROOM)
  // No key places an order that waits.
  const isWaiting = useWait(({ when }) => when !== 'now')
  const keysWord = !keys.trade ? 'off' : isLive ? 'armed' : 'on'
  return (
    <section className={cx(styles.panel, isLive && styles.live)} id="order" tabIndex={-1} aria-labelledby="order-title">
      <div className={styles.head}>
        <h2 className={styles.title} id="order-title">
          New order
        </h2>
        <Badge tone="mode">{isLive ? 'Live' : 'Demo'}</Badge>
        <Presets form={form} onSymbol={onSymbol} />
        <Button look="secondary" size="small" onClick={onHelp} aria-keyshortcuts="?">
          <Keyboard aria-hidden />
          Keys {keysWord}
        </Button>
      </div>
      <form className={styles.body} noValidate onSubmit={(event) => event.preventDefault()}>
        {isLive && keys.on && !isWaiting && <ArmKeys keys={keys} />}
        <OrderFields form={form} isBlocked={block !== undefined} />
      </form>
      {hasRoom && settled.length > 0 && (
        <Suspense>
          <OrderRecord form={form} settled={settled.filter(isLike(form.order)).length} />
        </Suspense>
      )}
      <div className={styles.foot}>
        {block && <BlockNotice block={block} symbol={form.order.symbol} />}
        <OrderButtons
          form={form}
          blocked={block !== undefined || loading}
          isOld={isOld(block)}
          keys={keys.trade && !isWaiting ? (isLive ? 'armed' : 'on') : undefined}
        />
      </div>
    </section>
  )
}

const isLike =
  ({ symbol, duration }: OrderForm['order']) =>
  (trade: Trade): boolean =>
    trade.symbol === symbol && trade.duration === duration

/** Arms B and S for the live account, and says until when they place real orders. */
function ArmKeys({ keys: { armedUntil, arm, disarm } }: { keys: Keys }) {
  const isArmed = armedUntil !== undefined
  return (
    <p className={cx(styles.arm, isArmed && styles.armed)}>
      <span role="status">
        {isArmed ? `B and S are real until ${formatTime(armedUntil).slice(0, 5)}` : 'Keys B and S are off'}
      </span>
      <button type="button" onClick={isArmed ? disarm : arm} aria-keyshortcuts={isArmed ? 'Escape' : undefined}>
        {isArmed ? (
          <>
            Disarm <kbd>Esc</kbd>
          </>
        ) : (
          'Arm for 10 min'
        )}
      </button>
    </p>
  )
}
