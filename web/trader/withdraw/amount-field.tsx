import type { ComponentProps } from 'react'
import { useUser } from '#web/api/index.ts'
import { Button, Field, formatUsd } from '#web/ui/index.ts'
import { remainsOf } from './needs.ts'
import styles from './withdraw.module.css'

interface AmountFieldProps extends Omit<ComponentProps<typeof Field>, 'label' | 'value'> {
  /** As typed, used to compute the remaining balance. */
  typed: string
  onAll: (amount: string) => void
}

/** The amount in US dollars, with the current and the remaining balance. */
export function AmountField({ typed, onAll, ...field }: AmountFieldProps) {
  const { balance } = useUser()
  const remains = remainsOf(balance, typed)
  return (
    <div className={styles.amount}>
      <Field {...field} label="Amount" unit="$" inputMode="decimal" autoComplete="off" placeholder="0.00" />
      <p className={styles.remains}>
        <span className={styles.sums}>
          <span>
            Available <strong>{formatUsd(balance)}</strong>
          </span>
          <span>
            After this <strong>{remains === undefined ? '–' : formatUsd(remains)}</strong>
          </span>
        </span>
        <Button look="secondary" size="small" disabled={balance <= 0} onClick={() => onAll(balance.toFixed(2))}>
          All
        </Button>
      </p>
    </div>
  )
}
