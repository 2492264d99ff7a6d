import { type ReactNode, type Ref, type TextareaHTMLAttributes, useId } from 'react'
import { FieldFrame } from './field.tsx'
import type { FieldError } from './refusal.ts'
import styles from './textarea.module.css'

interface TextareaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  label: string
  hint?: ReactNode
  error?: FieldError
  ref?: Ref<HTMLTextAreaElement>
}

/** A multi-line text field. */
export function Textarea({ label, hint, error, rows = 3, ...rest }: TextareaProps) {
  const id = useId()
  return (
    <FieldFrame id={id} label={label} {...(error === undefined ? {} : { error })} hint={hint}>
      <textarea
        {...rest}
        id={id}
        rows={rows}
        className={styles.text}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
      />
    </FieldFrame>
  )
}
