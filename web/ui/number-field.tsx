import { NumberField as Base } from '@base-ui/react/number-field'
import { Minus, Plus } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { FieldFrame } from './field.tsx'
import styles from './number-field.module.css'

interface NumberFieldProps {
  label: string
  error?: string
  hint?: ReactNode
  value: number | null
  onChange: (value: number | null) => void
  min?: number
  max?: number
  /** The step of the arrows only; anything between is taken too. */
  step?: number
  /** How the figure is written: `{ style: 'currency', currency: 'USD' }`. */
  format?: Intl.NumberFormatOptions
  disabled?: boolean
}

/** A number with arrows left and right, arrow keys, and the figure between them. */
export function NumberField({
  label,
  error,
  hint,
  value,
  onChange,
  min,
  max,
  step,
  format,
  disabled,
}: NumberFieldProps) {
  const id = useId()
  return (
    <FieldFrame id={id} label={label} error={error} hint={hint}>
      <Base.Root
        id={id}
        value={value}
        onValueChange={(next) => onChange(next)}
        min={min}
        max={max}
        step={step}
        format={format}
        locale="en-US"
        disabled={disabled}
      >
        <Base.Group className={styles.group}>
          <Base.Decrement className={styles.step} aria-label={`Less ${label.toLowerCase()}`}>
            <Minus aria-hidden />
          </Base.Decrement>
          <Base.Input
            className={styles.input}
            aria-invalid={error !== undefined}
            aria-describedby={error !== undefined ? `${id}-error` : undefined}
          />
          <Base.Increment className={styles.step} aria-label={`More ${label.toLowerCase()}`}>
            <Plus aria-hidden />
          </Base.Increment>
        </Base.Group>
      </Base.Root>
    </FieldFrame>
  )
}
