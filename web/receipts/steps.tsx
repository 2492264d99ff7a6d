import { Check, Minus, X } from 'lucide-react'
import { STEPS, type Step, type StepName } from '#packages/verify/verify.js'
import { cx } from '#web/ui/index.ts'
import styles from './steps.module.css'
import { EXPLAINED } from './words.ts'

/** Each step of a check with what it found. `explained` adds what it means. */
export function Steps({ steps, explained }: { steps: readonly Step[]; explained?: boolean }) {
  const failed = steps.some(({ ok }) => !ok)
  // What a failed step kept from being checked.
  const left = failed
    ? (Object.keys(STEPS) as StepName[]).filter((name) => !steps.some(({ step }) => step === name))
    : []
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
            {explained && <p className={styles.explained}>{EXPLAINED[step]}</p>}
          </div>
        </li>
      ))}
      {left.map((step) => (
        <li key={step} className={cx(styles.step, styles.left)}>
          <span className={styles.icon}>
            <Minus aria-hidden />
          </span>
          <p className={styles.title}>Not checked: {STEPS[step]}</p>
        </li>
      ))}
    </ol>
  )
}
