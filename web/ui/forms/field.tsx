import { ChevronDown, CircleAlert, Eye, EyeOff } from 'lucide-react'
import { type InputHTMLAttributes, type ReactNode, type Ref, type SelectHTMLAttributes, useId, useState } from 'react'
import { Button } from '../button.tsx'
import { cx } from '../cx.ts'
import styles from './field.module.css'
import type { FieldError } from './refusal.ts'

interface FieldBase {
  /** The field's label. Error messages are prefixed with it. */
  label: string
  /** The message of the first failing rule, `must not be empty`, or what the server refused. */
  error?: FieldError
  /** A hint below the field. */
  hint?: ReactNode
}

/** Returns the error text: full sentences as they are, rule messages prefixed with the field's label. */
export function errorText(label: string, message: string): string {
  return /^[A-Z]/.test(message) ? message : `${label} ${message}`
}

function describedBy(id: string, { error, hint }: Pick<FieldBase, 'error' | 'hint'>): string | undefined {
  return cx(error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`) || undefined
}

/**
 * Label, control, error and hint, associated for screen readers. Passes `id` and the aria attributes to the control.
 */
export function FieldFrame({ id, label, error, hint, children }: FieldBase & { id: string; children: ReactNode }) {
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children}
      {error !== undefined && (
        <p className={styles.error} id={`${id}-error`} role={typeof error === 'string' ? 'alert' : undefined}>
          <CircleAlert aria-hidden />
          <span>{errorText(label, typeof error === 'string' ? error : error.refused)}</span>
        </p>
      )}
      {hint !== undefined && (
        <p className={styles.hint} id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

type FieldProps = FieldBase &
  InputHTMLAttributes<HTMLInputElement> & {
    ref?: Ref<HTMLInputElement>
    /** A prefix inside the field: `$`. */
    unit?: string
  }

/** A text field. Spread the result of react-hook-form's `register()` into it. Passwords can be revealed. */
export function Field({ label, error, hint, unit, className, type = 'text', ...input }: FieldProps) {
  const id = useId()
  const [shown, setShown] = useState(false)
  const isPassword = type === 'password'
  return (
    <FieldFrame id={id} label={label} error={error} hint={hint}>
      <div className={styles.box}>
        {unit && (
          <span className={styles.unit} aria-hidden>
            {unit}
          </span>
        )}
        <input
          {...input}
          id={id}
          type={isPassword && shown ? 'text' : type}
          className={cx(styles.control, unit !== undefined && styles.withUnit, isPassword && styles.withEnd, className)}
          aria-invalid={error !== undefined}
          aria-describedby={describedBy(id, { error, hint })}
        />
        {isPassword && (
          <Button
            className={styles.end}
            look="quiet"
            icon
            aria-label={shown ? `Hide ${label.toLowerCase()}` : `Show ${label.toLowerCase()}`}
            onClick={() => setShown(!shown)}
          >
            {shown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
          </Button>
        )}
      </div>
    </FieldFrame>
  )
}

type SelectProps = FieldBase & SelectHTMLAttributes<HTMLSelectElement> & { ref?: Ref<HTMLSelectElement> }

/** A native select, which works best on phones. Pass `<option>`s as children. */
export function Select({ label, error, hint, className, ...select }: SelectProps) {
  const id = useId()
  return (
    <FieldFrame id={id} label={label} error={error} hint={hint}>
      <div className={styles.box}>
        <select
          {...select}
          id={id}
          className={cx(styles.control, className)}
          aria-invalid={error !== undefined}
          aria-describedby={describedBy(id, { error, hint })}
        />
        <ChevronDown className={styles.chevron} aria-hidden />
      </div>
    </FieldFrame>
  )
}

type CheckboxProps = InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement>; children: ReactNode }

/** A checkbox with its label, which is part of the click target. */
export function Checkbox({ children, ...input }: CheckboxProps) {
  return (
    <label className={styles.check}>
      <input {...input} type="checkbox" />
      <span>{children}</span>
    </label>
  )
}
