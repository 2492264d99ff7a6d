import { cx } from '#web/ui/index.ts'
import styles from './review.module.css'

const GROUP = /.{1,4}/g
/** How many groups at each end stand out. */
const COMPARED = 2

/** An address in groups of four, the first and last ones highlighted. Copied as one word. */
export function WithdrawalAddress({ address }: { address: string }) {
  const groups = address.match(GROUP) ?? []
  return (
    <p className={styles.address}>
      {groups.map((group, at) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: an address can have the same group twice
          key={at}
          className={cx(styles.group, (at < COMPARED || at >= groups.length - COMPARED) && styles.compared)}
        >
          {group}
        </span>
      ))}
    </p>
  )
}
