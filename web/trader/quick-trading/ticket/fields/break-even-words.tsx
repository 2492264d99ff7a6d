import { breakEvenRate } from '#contract/prices/measured.ts'
import { formatPercent, formatUsd, roundToCents } from '#web/ui/index.ts'
import styles from './break-even-words.module.css'

/** Why that is the break-even rate, on a ruler next to a coin toss, and what a coin toss costs. */
export default function BreakEvenWords({ percent, stake }: { percent: number; stake: number }) {
  const rate = breakEvenRate(percent)
  const tossCost = roundToCents((stake * (100 - percent)) / 200)
  return (
    <>
      <p>
        You come out even if you're right <b>{formatPercent(rate)}</b> of the time: 100 ÷ {100 + percent}. Below that,
        you lose money over time.
      </p>
      <svg
        className={styles.ruler}
        viewBox="0 0 260 54"
        role="img"
        aria-label={`Break-even ${formatPercent(rate)}, coin toss 50%`}
      >
        <rect className={styles.lose} x="0" y="22" width={2.6 * rate} height="7" />
        <rect className={styles.gain} x={2.6 * rate} y="22" width={260 - 2.6 * rate} height="7" />
        <path className={styles.at} d={`M${2.6 * rate} 18v15`} />
        <path className={styles.toss} d="M130 18v15" />
        <text className={styles.atWord} x={Math.min(2.6 * rate, 240)} y="12">
          {formatPercent(rate)}
        </text>
        <text className={styles.tossWord} x="130" y="48">
          coin toss 50%
        </text>
      </svg>
      {stake > 0 && (
        <p className={styles.quiet}>
          A coin toss loses {formatUsd(tossCost)} on average for each {formatUsd(stake)} at these odds.
        </p>
      )}
      <p className={styles.quiet}>Equal prices at entry and end: your stake comes back.</p>
    </>
  )
}
