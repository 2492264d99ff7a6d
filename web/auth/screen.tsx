import type { ReactNode } from 'react'
import styles from './screen.module.css'

interface ScreenProps {
  title: string
  intro: ReactNode
  /** The onboarding step, out of three. */
  step?: 1 | 2 | 3
  children: ReactNode
  /** Links below the form. */
  foot?: ReactNode
}

/** An auth screen: the current step, its purpose, the form, and further links. */
export function Screen({ title, intro, step, children, foot }: ScreenProps) {
  return (
    <div className={styles.screen}>
      <div>
        {step && (
          <p className={styles.step}>
            <span className={styles.bar} aria-hidden>
              {[1, 2, 3].map((n) => (
                <i key={n} data-done={n <= step || undefined} />
              ))}
            </span>
            Step {step} of 3
          </p>
        )}
        <h1 className={styles.title}>{title}</h1>
        <p className={styles.intro}>{intro}</p>
      </div>
      {children}
      {foot && <div className={styles.foot}>{foot}</div>}
    </div>
  )
}
