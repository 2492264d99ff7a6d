import { ImageUp } from 'lucide-react'
import { useId, useState } from 'react'
import { cx } from './cx.ts'
import { FieldFrame } from './field.tsx'
import styles from './image-field.module.css'
import { useObjectUrl } from './use-object-url.ts'

interface ImageFieldProps {
  label: string
  error?: string
  /** The quiet word about the limit. */
  hint: string
  maxBytes: number
  value: File | undefined
  onChange: (file: File) => void
  /** Told when a larger file was chosen; without it such a file is silently not taken. */
  onTooLarge?: () => void
}

/** An image to hand in: chosen, dropped or photographed, and shown before it is sent. */
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
            <img className={styles.preview} src={preview} alt="What you chose" />
            <span className={styles.name}>{value.name} (choose another to replace it)</span>
          </>
        ) : (
          <span className={styles.empty}>
            <ImageUp aria-hidden />
            <span>Choose an image, or drop it here</span>
          </span>
        )}
        {/* It lies over the whole box, so that a file can be dropped on it too. */}
        <input
          id={id}
          className={styles.input}
          type="file"
          accept="image/*"
          aria-invalid={shownError !== undefined}
          aria-describedby={cx(shownError !== undefined && `${id}-error`, `${id}-hint`)}
          onChange={(event) => {
            take(event.currentTarget.files?.[0])
            // The same file can be chosen again after it was not taken.
            event.currentTarget.value = ''
          }}
        />
      </div>
    </FieldFrame>
  )
}
