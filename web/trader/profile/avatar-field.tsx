import { ImageUp } from 'lucide-react'
import { useId, useState } from 'react'
import { FILE_LIMIT, useObjectUrl } from '#web/ui/index.ts'
import styles from './profile.module.css'

interface AvatarFieldProps {
  /** Address of the stored picture, or null. */
  stored: string | null
  /** Shown if there is no picture. */
  initials: string
  value: File | undefined
  onChange: (file: File) => void
}

/** The current or chosen picture, with a button to pick another. Pictures over 2 MB are ignored silently. */
export function AvatarField({ stored, initials, value, onChange }: AvatarFieldProps) {
  const id = useId()
  const chosen = useObjectUrl(value)
  const [isNoImage, setNoImage] = useState(false)
  const shown = chosen ?? stored

  function take(file: File | undefined) {
    if (!file) return
    const isImage = file.type.startsWith('image/')
    setNoImage(!isImage)
    if (isImage && file.size <= FILE_LIMIT.avatar) onChange(file)
  }

  return (
    <div className={styles.avatar}>
      {shown ? (
        <img className={styles.face} src={shown} alt={chosen ? 'Your new avatar' : 'Your avatar'} />
      ) : (
        <span className={styles.face} aria-hidden>
          {initials}
        </span>
      )}
      <div className={styles.choose}>
        <label className={styles.pick} htmlFor={id}>
          <ImageUp aria-hidden />
          Avatar
          <input
            id={id}
            className={styles.file}
            type="file"
            accept="image/jpeg,image/png,image/webp"
            aria-describedby={`${id}-hint`}
            onChange={(event) => {
              take(event.currentTarget.files?.[0])
              // Lets the user pick the same file again after it was rejected.
              event.currentTarget.value = ''
            }}
          />
        </label>
        <p className={styles.hint} id={`${id}-hint`}>
          {value ? `${value.name}. Update your profile to save it.` : 'A JPEG, PNG or WebP image, 2 MB maximum.'}
        </p>
        {isNoImage && (
          <p className={styles.refused} role="alert">
            This file isn&rsquo;t an image. Choose a JPEG, PNG or WebP.
          </p>
        )}
      </div>
    </div>
  )
}
