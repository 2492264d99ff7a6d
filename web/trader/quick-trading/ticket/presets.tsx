import { Bookmark } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Popover } from '#web/ui/index.ts'
import styles from './presets.module.css'
import type { OrderForm } from './use-order-form.ts'

const PresetList = lazy(() => import('./preset-list.tsx'))

/** The button that opens the presets: orders that the trader has kept, of which one tap fills the ticket. */
export function Presets({ form, onSymbol }: { form: OrderForm; onSymbol: (symbol: string) => void }) {
  const [open, setOpen] = useState(false)
  return (
    <Popover
      button={
        <>
          <Bookmark aria-hidden />
          <span className="visually-hidden">Presets</span>
        </>
      }
      buttonClass={styles.trigger}
      title="Presets"
      className={styles.popup}
      open={open}
      onOpenChange={setOpen}
    >
      <Suspense>{open && <PresetList form={form} onSymbol={onSymbol} onDone={() => setOpen(false)} />}</Suspense>
    </Popover>
  )
}
