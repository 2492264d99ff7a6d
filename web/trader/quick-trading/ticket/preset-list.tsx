import { X } from 'lucide-react'
import type { OrderPreset } from '#contract/account/profile.ts'
import { PRESETS_MAX, type StrikeChoice } from '#contract/terms.ts'
import { choose, useScreenChoices } from '#web/api/index.ts'
import { Button, dollarsOf, formatDuration, formatUsd } from '#web/ui/index.ts'
import { setOrder } from './draft-order.ts'
import styles from './preset-list.module.css'
import type { OrderForm } from './use-order-form.ts'

interface PresetListProps {
  form: OrderForm
  onSymbol: (symbol: string) => void
  onDone: () => void
}

const NONE: readonly OrderPreset[] = []
const oddsWords = (strike: StrikeChoice) => (strike === 'best' ? 'best odds' : strike.replace('/', ' / '))
const nameOf = ({ symbol, duration, strike_rate, amount }: OrderPreset) =>
  `${symbol} · ${formatDuration(duration)} · ${oddsWords(strike_rate)} · ${formatUsd(amount)}`

/** The presets, named by their content, and the order as it is, to keep. */
export default function PresetList({ form, onSymbol, onDone }: PresetListProps) {
  const presets = useScreenChoices()?.presets ?? NONE
  const { symbol, duration } = form.order
  // What the trader chose, though it may not be offered now.
  const strike_rate = form.order.instead ?? form.order.strike_rate
  const amount = dollarsOf(form.stake)
  const now = amount === undefined ? undefined : { symbol, duration, strike_rate, amount }
  const isKept = now !== undefined && presets.some((one) => nameOf(one) === nameOf(now))
  const apply = (preset: OrderPreset) => {
    if (preset.symbol !== symbol) onSymbol(preset.symbol)
    setOrder({ duration: preset.duration, strike_rate: preset.strike_rate, stake: String(preset.amount) })
    onDone()
  }
  return (
    <>
      {presets.length === 0 && (
        <p className={styles.note}>Keep the orders you place often, and fill one in with a tap.</p>
      )}
      <ul className={styles.list}>
        {presets.map((preset) => (
          <li key={nameOf(preset)}>
            <button type="button" className={styles.preset} onClick={() => apply(preset)}>
              {nameOf(preset)}
            </button>
            <Button
              look="quiet"
              size="small"
              icon
              aria-label={`Remove ${nameOf(preset)}`}
              title="Remove"
              onClick={() => choose({ presets: presets.filter((one) => one !== preset) })}
            >
              <X aria-hidden />
            </Button>
          </li>
        ))}
      </ul>
      {!isKept && presets.length < PRESETS_MAX && now && form.isValid && (
        <Button look="secondary" size="small" onClick={() => choose({ presets: [now, ...presets] })}>
          Keep {nameOf(now)}
        </Button>
      )}
      {presets.length >= PRESETS_MAX && (
        <p className={styles.note}>{PRESETS_MAX} presets are the most. Remove one to keep another.</p>
      )}
    </>
  )
}
