import type { ReactNode } from 'react'
import styles from './picture.module.css'

interface PictureProps {
  /** What is seen, in a sentence below it: the drawing itself is hidden from screen readers. */
  caption: string
  children: ReactNode
}

/** The size that all drawings of the site have. */
const VIEW = '0 0 420 280'

/** The plate that a drawing stands on. Its parts take their colours from `pen`, in light and in dark. */
export function Picture({ caption, children }: PictureProps) {
  return (
    <figure className={styles.picture}>
      <svg viewBox={VIEW} width="420" height="280" aria-hidden="true">
        {children}
      </svg>
      <figcaption className={styles.caption}>{caption}</figcaption>
    </figure>
  )
}

/** The pens of the house: every drawing uses these and nothing else. */
export const pen = {
  /** Thin line in the background. */
  quiet: styles.quiet,
  /** Line that matters. */
  line: styles.line,
  /** The one coloured line. */
  accentLine: styles.accentLine,
  dashed: styles.dashed,
  /** Filled shapes. */
  plate: styles.plate,
  soft: styles.soft,
  accent: styles.accent,
  muted: styles.muted,
  /** Words in a drawing. */
  label: styles.label,
  strong: styles.strong,
  onAccent: styles.onAccent,
} as const
