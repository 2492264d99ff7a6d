import { Combobox as Base } from '@base-ui/react/combobox'
import { ChevronsUpDown } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import styles from './combobox.module.css'
import { FieldFrame } from './field.tsx'

export interface ComboboxOption {
  value: string
  label: string
  /** A quiet word at the end of the row: a price, or why it cannot be chosen. */
  detail?: ReactNode
  disabled?: boolean
}

interface ComboboxProps {
  label: string
  error?: string
  hint?: ReactNode
  options: readonly ComboboxOption[]
  value: string
  onChange: (value: string) => void
  /** Said when nothing matches what was typed. */
  whenNone?: string
}

/** A searchable choice: type to filter, arrows to move, Enter to take. */
export function Combobox({ label, error, hint, options, value, onChange, whenNone = 'No match' }: ComboboxProps) {
  const id = useId()
  const chosen = options.find((option) => option.value === value) ?? null
  return (
    <FieldFrame id={id} label={label} error={error} hint={hint}>
      <Base.Root
        items={options}
        value={chosen}
        onValueChange={(option: ComboboxOption | null) => option && onChange(option.value)}
        isItemEqualToValue={(a: ComboboxOption, b: ComboboxOption) => a.value === b.value}
        itemToStringLabel={(option: ComboboxOption) => option.label}
        autoHighlight
      >
        <div className={styles.box}>
          <Base.Input id={id} className={styles.input} onFocus={(event) => event.currentTarget.select()} />
          <Base.Trigger className={styles.trigger} aria-label={`Open the list of ${label.toLowerCase()}`}>
            <ChevronsUpDown aria-hidden />
          </Base.Trigger>
        </div>
        <Base.Portal>
          <Base.Positioner className={styles.positioner} sideOffset={6}>
            <Base.Popup className={styles.popup}>
              <Base.Empty className={styles.none}>{whenNone}</Base.Empty>
              <Base.List>
                {(option: ComboboxOption) => (
                  <Base.Item key={option.value} value={option} disabled={option.disabled} className={styles.item}>
                    <span>{option.label}</span>
                    {option.detail !== undefined && <span className={styles.detail}>{option.detail}</span>}
                  </Base.Item>
                )}
              </Base.List>
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
    </FieldFrame>
  )
}
