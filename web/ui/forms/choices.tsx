import { type ReactNode, useId } from 'react'
import { cx } from '../cx.ts'
import styles from './choices.module.css'

interface ChoicesProps<T extends string | number> {
  /** The group's label. */
  label: string
  /** Shows the label to screen readers only. */
  quiet?: boolean
  value: T
  onChange: (value: T) => void
  /** `name` is the accessible name when `label` is an icon or too short. */
  options: readonly { value: T; label: ReactNode; name?: string; disabled?: boolean }[]
  className?: string
  disabled?: boolean
}

/** A row of choices. Uses native radio buttons, so arrow keys and screen readers work. */
export function Choices<T extends string | number>({
  label,
  quiet,
  value,
  onChange,
  options,
  className,
  disabled,
}: ChoicesProps<T>) {
  const name = useId()
  return (
    <fieldset className={styles.set} disabled={disabled}>
      <legend className={cx(styles.legend, quiet && 'visually-hidden')}>{label}</legend>
      <div className={cx(styles.row, className)}>
        {options.map((option) => (
          <label key={option.value} className={styles.choice}>
            <input
              type="radio"
              name={name}
              className={styles.input}
              checked={option.value === value}
              disabled={option.disabled}
              onChange={() => onChange(option.value)}
              aria-label={option.name}
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
