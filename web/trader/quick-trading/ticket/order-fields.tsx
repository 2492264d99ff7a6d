import { ChevronsUpDown } from 'lucide-react'
import { DURATIONS, percentOf, STRIKE_RATES, TRADING_TYPES } from '#contract/terms.ts'
import { Choices, errorText, formatDuration } from '#web/ui/index.ts'
import { setOrder } from './order.ts'
import styles from './order-fields.module.css'
import { StakeField } from './stake-field.tsx'
import { StrikeLabel } from './strike-label.tsx'
import type { OrderForm } from './use-order-form.ts'

const TYPES = TRADING_TYPES.map((value) => ({ value, label: value }))
const DURATION_OPTIONS = DURATIONS.map((value) => ({ value, label: formatDuration(value), name: longDuration(value) }))
const STRIKE_OPTIONS = STRIKE_RATES.map((value) => ({
  value,
  label: <StrikeLabel rate={value} />,
  name: `Buy pays ${percentOf(value, 'Buy')}%, Sell pays ${percentOf(value, 'Sell')}%`,
}))

function longDuration(seconds: number): string {
  if (seconds >= 86_400) return '1 day'
  return seconds >= 3_600
    ? `${seconds / 3_600} hour${seconds === 3_600 ? '' : 's'}`
    : `${seconds / 60} minute${seconds === 60 ? '' : 's'}`
}

/** The fields of an order. */
export function OrderFields({ form, onSearch }: { form: OrderForm; onSearch: () => void }) {
  const { order, problems } = form
  return (
    <div className={styles.fields}>
      <Choices label="Trading type" value={order.trading_type} onChange={form.setTradingType} options={TYPES} />
      <div>
        <span className={styles.label} id="order-symbol">
          Symbol
        </span>
        <button
          type="button"
          className={styles.symbol}
          aria-haspopup="dialog"
          aria-labelledby="order-symbol order-symbol-name"
          onClick={onSearch}
        >
          <span id="order-symbol-name">{order.symbol || 'Choose'}</span>
          <ChevronsUpDown aria-hidden />
        </button>
        <Problem label="Symbol" message={problems.symbol} />
      </div>
      <div>
        <Choices
          label="Duration"
          className={styles.durations}
          value={order.duration}
          onChange={(duration) => setOrder({ duration })}
          options={DURATION_OPTIONS}
        />
        <Problem label="Duration" message={problems.duration} />
      </div>
      <div>
        <Choices
          label="Strike rate: what Buy and Sell pay"
          value={order.strike_rate}
          onChange={(strike_rate) => setOrder({ strike_rate })}
          options={STRIKE_OPTIONS}
        />
        <Problem label="Strike rate" message={problems.strike_rate} />
      </div>
      <StakeField
        value={form.stake}
        onChange={(stake) => setOrder({ stake })}
        max={form.max.stake}
        maxWords={form.maxWords}
        problem={problems.stake}
      />
    </div>
  )
}

function Problem({ label, message }: { label: string; message: string | undefined }) {
  return message ? (
    <p className={styles.problem} role="alert">
      {errorText(label, message)}
    </p>
  ) : null
}
