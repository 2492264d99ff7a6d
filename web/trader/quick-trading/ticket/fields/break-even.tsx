import { Info } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { breakEvenRate } from '#contract/prices/measured.ts'
import type { TradeSide } from '#contract/trading/trading.ts'
import { formatPercent, Popover } from '#web/ui/index.ts'
import styles from './break-even.module.css'

const BreakEvenWords = lazy(() => import('./break-even-words.tsx'))

/** A pair that pays less than this says how many of 100 must win. */
const LOW_PERCENT = 20

interface BreakEvenProps {
  side: TradeSide
  /** What a winning trade pays, percent of the stake. */
  percent: number
  /** US dollars. */
  stake: number
}

/** The break-even rate of a side; a tap explains it. */
export function BreakEven({ side, percent, stake }: BreakEvenProps) {
  const rate = breakEvenRate(percent)
  return (
    <Popover
      button={
        <>
          <span className="visually-hidden">{side}: </span>
          <span className={styles.words}>
            {percent < LOW_PERCENT
              ? `Win ${Math.ceil(rate)} of 100 to break even`
              : `Break-even ${formatPercent(rate)}`}
          </span>
          <Info aria-hidden />
        </>
      }
      buttonClass={styles.trigger}
      title={`Break-even ${formatPercent(rate)}`}
      className={styles.popup}
      opensOnHover
    >
      <Suspense>
        <BreakEvenWords percent={percent} stake={stake} />
      </Suspense>
    </Popover>
  )
}
