import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import styles from './method-card.module.css'

/** Ways to do something, side by side; below each other on a phone. */
export function Methods({ children }: { children: ReactNode }) {
  return <ul className={styles.methods}>{children}</ul>
}

interface MethodCardProps {
  /** Signs for the eye; a phone shows the first. */
  signs: readonly ReactNode[]
  title: string
  /** What it is, in a sentence. */
  children: ReactNode
  /** The smallest amount or another term. */
  terms: string
  onChoose: () => void
}

/** One of the ways: all of it is the button. */
export function MethodCard({ signs, title, children, terms, onChoose }: MethodCardProps) {
  return (
    <li>
      <button type="button" className={styles.method} onClick={onChoose}>
        <span className={styles.signs} aria-hidden>
          {signs.map((sign, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: signs stand still
            <span key={index} className={styles.sign}>
              {sign}
            </span>
          ))}
        </span>
        <span className={styles.words}>
          <span className={styles.title}>{title}</span>
          <span className={styles.text}>{children}</span>
          <span className={styles.terms}>{terms}</span>
        </span>
        <ChevronRight className={styles.go} aria-hidden />
      </button>
    </li>
  )
}
