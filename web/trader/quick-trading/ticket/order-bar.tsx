import { ChevronUp } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { percentOf } from '#contract/terms.ts'
import { Button, formatDuration, Modal } from '#web/ui/index.ts'
import { BlockNotice } from './block-notice.tsx'
import { setOrder } from './order.ts'
import styles from './order-bar.module.css'
import type { OrderBlock } from './order-block.ts'
import { OrderButtons } from './order-buttons.tsx'
import { OrderFields } from './order-fields.tsx'
import { StakeField } from './stake-field.tsx'
import type { OrderForm } from './use-order-form.ts'

interface OrderBarProps {
  form: OrderForm
  block: OrderBlock | undefined
  onSearch: () => void
  /** Shown above the bar, over the page. */
  above: ReactNode
}

/** The order on a phone: amount, Buy and Sell within reach of the thumb; the rest opens in a sheet. */
export function OrderBar({ form, block, onSearch, above }: OrderBarProps) {
  const [open, setOpen] = useState(false)
  const { order } = form
  const search = () => {
    setOpen(false)
    onSearch()
  }
  return (
    <section className={styles.bar} aria-label="New order">
      {above}
      {block && <BlockNotice block={block} symbol={order.symbol} compact />}
      <div className={styles.row}>
        <StakeField
          compact
          value={form.stake}
          onChange={(stake) => setOrder({ stake })}
          max={form.max.stake}
          maxWords={form.maxWords}
          problem={form.problems.stake}
        />
        <Button look="secondary" className={styles.more} aria-haspopup="dialog" onClick={() => setOpen(true)}>
          <span className={styles.words}>
            <span>{formatDuration(order.duration)}</span>
            <span className={styles.rate}>
              {percentOf(order.strike_rate, 'Buy')}% / {percentOf(order.strike_rate, 'Sell')}%
            </span>
            <span className="visually-hidden">, change the order</span>
          </span>
          <ChevronUp aria-hidden />
        </Button>
      </div>
      <OrderButtons form={form} blocked={block !== undefined} compact />
      <Modal open={open} onClose={() => setOpen(false)} title="New order" sheet>
        <div className={styles.sheet}>
          <OrderFields form={form} onSearch={search} />
          <OrderButtons form={form} blocked={block !== undefined} />
        </div>
      </Modal>
    </section>
  )
}
