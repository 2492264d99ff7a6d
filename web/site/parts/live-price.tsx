import styles from './live-price.module.css'

/**
 * What a symbol costs now, filled by the page's script like a place of the strip: its name, its price, its change, and
 * what kind of price it is where it is not live. The room for all of it is there from the beginning.
 */
export function LivePrice({ symbol, name }: { symbol: string; name: string }) {
  return (
    <p className={styles.quote} data-quote={symbol}>
      <span className={styles.name}>{name}</span> <span className={styles.price}>–</span>{' '}
      <span className={styles.change} /> <span className={styles.name} data-source />
    </p>
  )
}
