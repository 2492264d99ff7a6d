import type { ReactNode } from 'react'
import styles from './picture.module.css'

interface PictureProps {
  /** A one-sentence caption below the drawing, which is hidden from screen readers. */
  caption: string
  children: ReactNode
}

/** The size of all drawings on the site. */
const VIEW = '0 0 420 280'

/** The frame of a drawing. Its parts take their colours from `pen`, in light and dark mode. */
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

/** The styles for all drawings; drawings use nothing else. */
export const pen = {
  /** Thin background line. */
  quiet: styles.quiet,
  /** Main line. */
  line: styles.line,
  /** The single accent-coloured line. */
  accentLine: styles.accentLine,
  dashed: styles.dashed,
  /** Filled shapes. */
  plate: styles.plate,
  soft: styles.soft,
  accent: styles.accent,
  muted: styles.muted,
  /** Text in a drawing. */
  label: styles.label,
  strong: styles.strong,
  onAccent: styles.onAccent,
} as const
