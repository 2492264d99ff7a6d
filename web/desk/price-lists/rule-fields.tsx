import { DURATIONS, TRADING_TYPES } from '#contract/terms.ts'
import { EVERY_DAY } from '#contract/trading/offers.ts'
import { Button, Checkbox, Field, formatDuration, Select } from '#web/ui/index.ts'
import styles from './price-lists.module.css'
import { DAY_NAMES } from './rule-words.ts'
import type { TypedLists, TypedRule } from './typed-lists.ts'

interface RuleFieldsProps {
  rule: TypedRule
  at: number
  lists: TypedLists['lists']
  onChange: (change: Partial<TypedRule>) => void
  onRemove: () => void
  onUp: () => void
}

/** The fields of one rule: for what, when, and which list. */
export function RuleFields({ rule, at, lists, onChange, onRemove, onUp }: RuleFieldsProps) {
  return (
    <fieldset className={styles.part}>
      <legend className="visually-hidden">Rule {at + 1}</legend>
      <div className={styles.fields}>
        <Select
          label={`Rule ${at + 1} is for`}
          value={rule.for}
          onChange={(event) => onChange({ for: event.target.value as TypedRule['for'] })}
        >
          <option value="all">All symbols</option>
          {TRADING_TYPES.map((type) => (
            <option key={type}>{type}</option>
          ))}
          <option value="symbols">Named symbols</option>
        </Select>
        {rule.for === 'symbols' && (
          <Field
            label="Symbols"
            placeholder="BTCUSDT, ETHUSDT"
            autoComplete="off"
            value={rule.symbols}
            onChange={(event) => onChange({ symbols: event.target.value })}
          />
        )}
        <Field
          label="From hour (UTC)"
          inputMode="numeric"
          value={rule.from_hour}
          onChange={(event) => onChange({ from_hour: event.target.value })}
        />
        <Field
          label="To hour (UTC)"
          inputMode="numeric"
          value={rule.to_hour}
          onChange={(event) => onChange({ to_hour: event.target.value })}
        />
        <Select label="List" value={rule.list} onChange={(event) => onChange({ list: event.target.value })}>
          {lists.map(({ key, name }, place) => (
            <option key={key} value={place + 1}>
              {place + 1}. {name}
            </option>
          ))}
        </Select>
      </div>
      <Checks
        legend="Durations, none for all"
        options={DURATIONS.map((value) => ({ value, label: formatDuration(value) }))}
        chosen={rule.durations}
        onChange={(durations) => onChange({ durations })}
      />
      <Checks
        legend="Days on which it begins"
        options={EVERY_DAY.map((value) => ({ value, label: DAY_NAMES[value] }))}
        chosen={rule.days}
        onChange={(days) => onChange({ days })}
      />
      <div className={styles.buttons}>
        <Button look="quiet" size="small" onClick={onRemove}>
          Remove rule {at + 1}
        </Button>
        {at > 0 && (
          <Button look="quiet" size="small" onClick={onUp}>
            Move rule {at + 1} up
          </Button>
        )}
      </div>
    </fieldset>
  )
}

interface ChecksProps {
  legend: string
  options: readonly { value: number; label: string }[]
  chosen: readonly number[]
  onChange: (chosen: number[]) => void
}

const Checks = ({ legend, options, chosen, onChange }: ChecksProps) => (
  <fieldset className={styles.checks}>
    <legend>{legend}</legend>
    {options.map(({ value, label }) => (
      <Checkbox
        key={value}
        checked={chosen.includes(value)}
        onChange={(event) =>
          onChange(
            options
              .map((option) => option.value)
              .filter((one) => (one === value ? event.target.checked : chosen.includes(one))),
          )
        }
      >
        {label}
      </Checkbox>
    ))}
  </fieldset>
)
