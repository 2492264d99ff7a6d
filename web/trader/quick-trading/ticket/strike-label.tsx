import { ArrowDown, ArrowUp } from 'lucide-react'
import { percentOf } from '#contract/terms.ts'
import type { StrikeRate } from '#contract/trading.ts'
import styles from './strike-label.module.css'

/** The payout of a strike rate, Buy above Sell. */
export function StrikeLabel({ rate }: { rate: StrikeRate }) {
  return (
    <span className={styles.strike} aria-hidden>
      <span className={styles.buy}>
        <ArrowUp />
        {percentOf(rate, 'Buy')}%
      </span>
      <span className={styles.sell}>
        <ArrowDown />
        {percentOf(rate, 'Sell')}%
      </span>
    </span>
  )
}
