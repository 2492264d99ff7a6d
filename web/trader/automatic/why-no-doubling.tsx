import { percentOf, STRIKE_RATES, TRADE_SIDES } from '#contract/terms.ts'
import { formatUsd } from '#web/ui/index.ts'
import styles from './automatic.module.css'

/** Losses in a row of the example, and its first stake in dollars. */
const EXAMPLE = { losses: 10, stake: 10 }

/** Why there is no stake progression, with the figures. */
export function WhyNoDoubling() {
  const { losses, stake } = EXAMPLE
  const lost = (count: number) => formatUsd(stake * (2 ** count - 1))
  const best = Math.max(...STRIKE_RATES.flatMap((rate) => TRADE_SIDES.map((side) => percentOf(rate, side))))
  return (
    <details className={styles.why}>
      <summary>Why no doubling after losses?</summary>
      <p>
        Doubling makes losses rarer and much larger. {losses} losses in a row that begin at {formatUsd(stake)} cost{' '}
        {lost(losses)}, and the next stake would be {formatUsd(stake * 2 ** losses)}. With a hit rate of 50%, one row in{' '}
        {(2 ** losses).toLocaleString('en-US')} is that long.
      </p>
      <p>
        It doesn't win the losses back, either: a win pays {best}% at most. After three losses ({lost(3)}), a stake of{' '}
        {formatUsd(stake * 8)} wins {formatUsd((stake * 8 * best) / 100)}. What a trade wins or loses on average depends
        on your hit rate, not on the order of your stakes.
      </p>
    </details>
  )
}
