import { ImageUp } from 'lucide-react'
import { useId, useState } from 'react'
import { cx } from '../cx.ts'
import { FieldFrame } from './field.tsx'
import styles from './image-field.module.css'
import { useObjectUrl } from './use-object-url.ts'

interface ImageFieldProps {
  label: string
  error?: string
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
  const [isNoImage, setNoImage] = useState(false)
  const shownError = isNoImage ? "This file isn't an image. Choose a JPEG, PNG or WebP." : error

  function take(file: File | undefined) {
    if (!file) return
    const isImage = file.type.startsWith('image/')
    setNoImage(!isImage)
    if (!isImage) return
    if (file.size > maxBytes) onTooLarge?.()
    else onChange(file)
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
          accept="image/*"
          aria-invalid={shownError !== undefined}
          aria-describedby={cx(shownError !== undefined && `${id}-error`, `${id}-hint`)}
          onChange={(event) => {
            take(event.currentTarget.files?.[0])
            // Lets the user pick the same file again after it was rejected.
            event.currentTarget.value = ''
          }}
        />
      </div>
    </FieldFrame>
  )
}
