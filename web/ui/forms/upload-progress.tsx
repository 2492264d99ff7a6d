import styles from './upload-progress.module.css'

interface UploadProgressProps {
  /** The part uploaded, from 0 to 1. */
  part: number
  /** Shown when everything is uploaded and the response is pending. */
  after: string
}

/** The progress of an upload. */
export function UploadProgress({ part, after }: UploadProgressProps) {
  const percent = Math.floor(part * 100)
  return (
    <div className={styles.upload}>
      <progress className={styles.bar} max={100} value={percent} aria-label="Upload" />
      {/* Screen readers can query the bar at any time; only completion is announced. */}
      <p className={styles.words} role="status">
        {percent < 100 ? <span aria-hidden>Uploading, {percent}%</span> : after}
      </p>
    </div>
  )
}
