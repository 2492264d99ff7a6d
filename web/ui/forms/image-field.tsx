import { ImageUp } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { cx } from '../cx.ts'
import { FieldFrame } from './field.tsx'
import styles from './image-field.module.css'
import { NotReadable, readableImage } from './readable-image.ts'
import type { FieldError } from './refusal.ts'
import { useObjectUrl } from './use-object-url.ts'

interface ImageFieldProps {
  label: string
  error?: FieldError
  /** The hint about the size limit. */
  hint: string
  maxBytes: number
  value: File | undefined
  onChange: (file: File) => void
  /** Called when the chosen file is too large; without it, such a file is ignored silently. */
  onTooLarge?: () => void
}

/** An image upload: choose, drop or photograph, with a preview before sending. */
export function ImageField({ label, error, hint, maxBytes, value, onChange, onTooLarge }: ImageFieldProps) {
  const id = useId()
  const preview = useObjectUrl(value)
  const [unreadable, setUnreadable] = useState<string>()
  const shownError = unreadable ?? error
  const newest = useRef<File>(undefined)

  async function take(file: File | undefined) {
    if (!file) return
    newest.current = file
    setUnreadable(undefined)
    if (file.size > maxBytes && file.type.startsWith('image/')) return onTooLarge?.()
    try {
      const picture = await readableImage(file)
      // Another file may have been chosen meanwhile.
      if (newest.current !== file) return
      if (picture.size > maxBytes) onTooLarge?.()
      else onChange(picture)
    } catch (problem) {
      if (newest.current !== file) return
      if (problem instanceof NotReadable) setUnreadable(problem.message)
      else throw problem
    }
  }

  return (
    <FieldFrame id={id} label={label} error={shownError} hint={hint}>
      <div className={cx(styles.drop, shownError !== undefined && styles.invalid)}>
        {value && preview ? (
          <>
            <img className={styles.preview} src={preview} alt="Preview of your upload" />
            <span className={styles.name}>{value.name} (choose another to replace it)</span>
          </>
        ) : (
          <span className={styles.empty}>
            <ImageUp aria-hidden />
            <span>Choose an image or drop it here</span>
          </span>
        )}
        {/* Covers the whole box, so that files can also be dropped on it. */}
        <input
          id={id}
          className={styles.input}
          type="file"
          accept="image/*,.heic,.heif"
          aria-invalid={shownError !== undefined}
          aria-describedby={cx(shownError !== undefined && `${id}-error`, `${id}-hint`)}
          onChange={(event) => {
            void take(event.currentTarget.files?.[0])
            // Lets the user pick the same file again after it was rejected.
            event.currentTarget.value = ''
          }}
        />
      </div>
    </FieldFrame>
  )
}
