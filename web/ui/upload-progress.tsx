import styles from './upload-progress.module.css'

interface UploadProgressProps {
  /** How much has been sent, from 0 to 1. */
  part: number
  /** What is said when all of it was sent and the answer is awaited. */
  after: string
}

/** How far an upload is. */
export function UploadProgress({ part, after }: UploadProgressProps) {
  const percent = Math.floor(part * 100)
  return (
    <div className={styles.upload}>
      <progress className={styles.bar} max={100} value={percent} aria-label="Upload" />
      {/* The bar says each percent to who asks; aloud only its end is said. */}
      <p className={styles.words} role="status">
        {percent < 100 ? <span aria-hidden>Uploading, {percent}%</span> : after}
      </p>
    </div>
  )
}
