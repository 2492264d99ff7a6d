import { ChevronDown, CircleAlert, Eye, EyeOff } from 'lucide-react'
import { type InputHTMLAttributes, type ReactNode, type Ref, type SelectHTMLAttributes, useId, useState } from 'react'
import { Button } from './button.tsx'
import { cx } from './cx.ts'
import styles from './field.module.css'

interface FieldBase {
  /** The field's name as people read it; an error is this name followed by the message. */
  label: string
  /** The message of the first failing rule: `must not be empty`. */
  error?: string
  /** A quiet word below the field. */
  hint?: ReactNode
}

/** A whole sentence stands by itself; a rule's message follows the field's name. */
export function errorText(label: string, message: string): string {
  return /^[A-Z]/.test(message) ? message : `${label} ${message}`
}

function describedBy(id: string, { error, hint }: Pick<FieldBase, 'error' | 'hint'>): string | undefined {
  return cx(error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`) || undefined
}

/** Label, control, error and hint, joined for screen readers. The control gets `id` and the aria attributes. */
export function FieldFrame({ id, label, error, hint, children }: FieldBase & { id: string; children: ReactNode }) {
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children}
      {error !== undefined && (
        <p className={styles.error} id={`${id}-error`} role="alert">
          <CircleAlert aria-hidden />
          <span>{errorText(label, error)}</span>
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
    /** A sign before what is typed: `$`. */
    unit?: string
  }

/** A text field. Spread what `register()` of react-hook-form answers into it. A password can be looked at. */
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

/** A choice from a list, the platform's own (the best there is on a phone). Give it `<option>`s. */
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

/** A checkbox with its words, which belong to its target. */
export function Checkbox({ children, ...input }: CheckboxProps) {
  return (
    <label className={styles.check}>
      <input {...input} type="checkbox" />
      <span>{children}</span>
    </label>
  )
}
