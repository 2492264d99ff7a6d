import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import styles from './method-card.module.css'

/** A group of method cards in a row; stacked on phones. */
export function Methods({ children }: { children: ReactNode }) {
  return <ul className={styles.methods}>{children}</ul>
}

interface MethodCardProps {
  /** Decorative icons; phones show only the first. */
  signs: readonly ReactNode[]
  title: string
  /** A one-sentence description. */
  children: ReactNode
  /** The minimum amount or another condition. */
  terms: string
  onChoose: () => void
}

/** A payment method. The whole card is the button. */
export function MethodCard({ signs, title, children, terms, onChoose }: MethodCardProps) {
  return (
    <li>
      <button type="button" className={styles.method} onClick={onChoose}>
        <span className={styles.signs} aria-hidden>
          {signs.map((sign, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the icons never change order
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
