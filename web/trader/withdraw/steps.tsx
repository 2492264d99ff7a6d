import type { ReactNode } from 'react'
import styles from './review.module.css'
import { Review, type ReviewProps } from './review.tsx'

interface StepsProps {
  /** Names the first step. */
  first: string
  /** What the server previewed; undefined in the first step. */
  review: Omit<ReviewProps, 'bank' | 'saveForm'> | undefined
  saveForm: ReviewProps['saveForm']
  bank?: ReviewProps['bank']
  /** The form of the first step. */
  children: ReactNode
}

/** The two steps of a withdrawal: what is typed, then its review. */
export function Steps({ first, review, saveForm, bank, children }: StepsProps) {
  return (
    <>
      <ol className={styles.steps}>
        <li data-done aria-current={review ? undefined : 'step'}>
          1 {first}
        </li>
        <li data-done={review && true} aria-current={review && 'step'}>
          2 Review
        </li>
      </ol>
      {review ? <Review {...review} saveForm={saveForm} bank={bank} /> : children}
    </>
  )
}
