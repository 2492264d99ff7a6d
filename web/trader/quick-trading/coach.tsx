import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '#web/ui/index.ts'
import styles from './coach.module.css'

const MARKS = [
  {
    of: 'chart',
    title: 'This is the price',
    text: 'It moves with the market. Your trade is decided by where it is when your time ends.',
  },
  {
    of: 'order',
    title: 'Choose a time and an amount',
    text: 'The sentence says what you win and what you lose. Then press Buy for higher, or Sell for lower.',
  },
  {
    of: 'history',
    title: 'Your trade appears here',
    text: 'With its result when it ends, and the proof of both prices. All of this is demo money.',
  },
] as const

/** The part of the screen that a hint is about. */
export type Coached = (typeof MARKS)[number]['of']

interface CoachProps {
  onMark: (of: Coached | undefined) => void
  onEnd: () => void
}

/** Three hints for the first minute, one at a time, inside the chart: they cover no control. Shown once, and when asked. */
export function Coach({ onMark, onEnd }: CoachProps) {
  const [at, setAt] = useState(0)
  const mark = MARKS[at]
  useEffect(() => {
    onMark(mark?.of)
    return () => onMark(undefined)
  }, [mark, onMark])
  if (!mark) return null
  const isLast = at === MARKS.length - 1
  return (
    <section className={styles.card} aria-label={`Hint ${at + 1} of ${MARKS.length}`}>
      <div className={styles.words} aria-live="polite">
        <p className={styles.title}>{mark.title}</p>
        <p className={styles.text}>{mark.text}</p>
      </div>
      <div className={styles.answers}>
        <span className={styles.count} aria-hidden>
          {at + 1} of {MARKS.length}
        </span>
        <Button size="small" onClick={() => (isLast ? onEnd() : setAt(at + 1))}>
          {isLast ? 'Got it' : 'Next'}
        </Button>
      </div>
      <Button look="quiet" size="small" icon className={styles.close} aria-label="Close the hints" onClick={onEnd}>
        <X aria-hidden />
      </Button>
    </section>
  )
}
