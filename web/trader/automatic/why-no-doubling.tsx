import { useMostPercent } from '#web/api/index.ts'
import { formatUsd } from '#web/ui/index.ts'
import styles from './automatic.module.css'

/** Losses in a row of the example, and its first stake in dollars. */
const EXAMPLE = { losses: 10, stake: 10 }

/** Why there is no stake progression, with the figures. */
export const WhyNoDoubling = () => <WhyNoDoublingAt most={useMostPercent()} />

/** `most`: what a win pays at most, percent. */
export function WhyNoDoublingAt({ most }: { most: number }) {
  const { losses, stake } = EXAMPLE
  const lost = (count: number) => formatUsd(stake * (2 ** count - 1))
  const win = (stake * 8 * most) / 100
  return (
    <details className={styles.why}>
      <summary>Why no doubling after losses?</summary>
      <p>
        Doubling makes losses rarer and much larger. {losses} losses in a row that begin at {formatUsd(stake)} cost{' '}
        {lost(losses)}, and the next stake would be {formatUsd(stake * 2 ** losses)}. With a hit rate of 50%, one row in{' '}
        {(2 ** losses).toLocaleString('en-US')} is that long.
      </p>
      <p>
        {win < stake * 7 ? "It doesn't win the losses back, either: a win" : 'A win'} pays {most}% at most. After three
        losses ({lost(3)}), a stake of {formatUsd(stake * 8)} wins {formatUsd(win)} at most. What a trade wins or loses
        on average depends on your hit rate, not on the order of your stakes.
      </p>
    </details>
  )
}
