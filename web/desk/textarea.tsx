import { type ReactNode, type TextareaHTMLAttributes, useId } from 'react'
import { FieldFrame } from '#web/ui/index.ts'
import styles from './textarea.module.css'

interface TextareaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  label: string
  hint?: ReactNode
  error?: string
}

/** A text of several lines. */
export function Textarea({ label, hint, error, ...rest }: TextareaProps) {
  const id = useId()
  return (
    <FieldFrame id={id} label={label} {...(error === undefined ? {} : { error })} hint={hint}>
      <textarea {...rest} id={id} rows={rest.rows ?? 3} className={styles.text} aria-invalid={error !== undefined} />
    </FieldFrame>
  )
}
