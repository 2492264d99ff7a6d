import { Check, Minus, X } from 'lucide-react'
import { cx } from '#web/ui/index.ts'
import styles from './steps.module.css'

interface StepsProps {
  steps: readonly { step: string; title: string; ok: boolean; says: string }[]
  /** The titles of all steps of the check, in their order. */
  titles: Readonly<Record<string, string>>
  /** What each step means, if that is shown. */
  explained?: Readonly<Record<string, string>>
}

/** Each step of a check with its result. */
export function Steps({ steps, titles, explained }: StepsProps) {
  const failed = steps.some(({ ok }) => !ok)
  // The steps that couldn't be checked because an earlier one failed.
  const left = failed ? Object.keys(titles).filter((name) => !steps.some(({ step }) => step === name)) : []
  return (
    <ol className={styles.steps}>
      {steps.map(({ step, title, ok, says }) => (
        <li key={step} className={cx(styles.step, !ok && styles.failed)}>
          <span className={styles.icon}>{ok ? <Check aria-hidden /> : <X aria-hidden />}</span>
          <div>
            <p className={styles.title}>
              {!ok && 'Failed: '}
              {title}
              {ok && <span className="visually-hidden">: passed</span>}
            </p>
            <p className={styles.says}>{says}</p>
            {explained && <p className={styles.explained}>{explained[step]}</p>}
          </div>
        </li>
      ))}
      {left.map((step) => (
        <li key={step} className={cx(styles.step, styles.left)}>
          <span className={styles.icon}>
            <Minus aria-hidden />
          </span>
          <p className={styles.title}>Not checked: {titles[step]}</p>
        </li>
      ))}
    </ol>
  )
}
