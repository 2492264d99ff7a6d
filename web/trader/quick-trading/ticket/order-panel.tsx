import { Keyboard } from 'lucide-react'
import { Badge, Button, formatUsd } from '#web/ui/index.ts'
import { BlockNotice } from './block-notice.tsx'
import type { OrderBlock } from './order-block.ts'
import { OrderButtons } from './order-buttons.tsx'
import { OrderFields } from './order-fields.tsx'
import styles from './order-panel.module.css'
import type { OrderForm } from './use-order-form.ts'

interface OrderPanelProps {
  form: OrderForm
  block: OrderBlock | undefined
  onSearch: () => void
  onHelp: () => void
}

/** The order panel: symbol, duration, strike rate and stake; then Buy or Sell. */
export function OrderPanel({ form, block, onSearch, onHelp }: OrderPanelProps) {
  return (
    <section className={styles.panel} aria-labelledby="order-title">
      <div className={styles.head}>
        <h2 className={styles.title} id="order-title">
          New order
        </h2>
        <Badge tone={form.mode === 'demo' ? 'accent' : 'up'}>{form.mode === 'demo' ? 'Demo' : 'Live'}</Badge>
        <Button look="quiet" size="small" className={styles.keys} onClick={onHelp} aria-keyshortcuts="?">
          <Keyboard aria-hidden />
          Keys
        </Button>
      </div>
      <form className={styles.body} noValidate onSubmit={(event) => event.preventDefault()}>
        <OrderFields form={form} onSearch={onSearch} />
      </form>
      <div className={styles.foot}>
        <p className={styles.balance}>
          <span>Available</span>
          <span className={styles.sum}>{formatUsd(form.balance)}</span>
        </p>
        {block && <BlockNotice block={block} symbol={form.order.symbol} onSearch={onSearch} />}
        <OrderButtons form={form} blocked={block !== undefined} />
      </div>
    </section>
  )
}
