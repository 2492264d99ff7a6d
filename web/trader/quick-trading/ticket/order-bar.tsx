import { ChevronUp } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { percentOf } from '#contract/terms.ts'
import { Badge, Button, cx, formatDuration, Modal } from '#web/ui/index.ts'
import { BlockNotice } from './block-notice.tsx'
import { setOrder } from './draft-order.ts'
import { OrderFields } from './fields/order-fields.tsx'
import { StakeField } from './fields/stake-field.tsx'
import styles from './order-bar.module.css'
import { isOld, type OrderBlock } from './order-block.ts'
import { OrderButtons } from './order-buttons.tsx'
import { Presets } from './presets.tsx'
import type { OrderForm } from './use-order-form.ts'

interface OrderBarProps {
  form: OrderForm
  block: OrderBlock | undefined
  /** Nothing can be placed yet: the order is still loading. */
  loading: boolean
  onSymbol: (symbol: string) => void
  /** Shown above the bar, over the page. */
  above: ReactNode
}

/** The order on a phone: amount, odds, Buy and Sell within reach of the thumb; the whole order opens in a sheet. */
export function OrderBar({ form, block, loading, onSymbol, above }: OrderBarProps) {
  const [open, setOpen] = useState(false)
  const { order, mode } = form
  const blocked = block !== undefined || loading
  return (
    <section
      className={cx(styles.bar, mode === 'real' && styles.live)}
      id="order"
      tabIndex={-1}
      aria-label={`New order, ${mode === 'real' ? 'Live' : 'Demo'}`}
    >
      {above}
      {block && <BlockNotice block={block} symbol={order.symbol} compact />}
      <OrderButtons form={form} blocked={blocked} isOld={isOld(block)} compact>
        <div className={styles.row}>
          <StakeField
            compact
            value={form.stake}
            onChange={(stake) => setOrder({ stake })}
            max={form.max.stake}
            maxWords={form.maxWords}
            problem={form.problems.stake}
          />
          <More label="Duration" value={formatDuration(order.duration)} does="change the order" onOpen={setOpen} />
          <More
            label="Strike rate"
            value={
              order.strike_rate === 'best'
                ? 'Best'
                : `${percentOf(order.strike_rate, 'Buy')}/${percentOf(order.strike_rate, 'Sell')}`
            }
            does="change the odds"
            onOpen={setOpen}
          />
        </div>
      </OrderButtons>
      <Modal
        open={open}
        onClose={() => setOpen(false)}
        title="New order"
        note={
          <>
            <Badge tone="mode">{mode === 'real' ? 'Live' : 'Demo'}</Badge>
            <Presets form={form} onSymbol={onSymbol} />
          </>
        }
        sheet
      >
        <div className={styles.sheet}>
          <OrderFields form={form} isBlocked={block !== undefined} />
          <OrderButtons form={form} blocked={blocked} isOld={isOld(block)} />
        </div>
      </Modal>
    </section>
  )
}

interface MoreProps {
  label: string
  value: string
  does: string
  onOpen: (open: boolean) => void
}

/** One choice of the order; a tap opens all of them. */
function More({ label, value, does, onOpen }: MoreProps) {
  return (
    <Button look="secondary" className={styles.more} aria-haspopup="dialog" onClick={() => onOpen(true)}>
      <span className={styles.words}>
        <span className={styles.label}>{label}</span>
        <span>{value}</span>
        <span className="visually-hidden">, {does}</span>
      </span>
      <ChevronUp aria-hidden />
    </Button>
  )
}
