import styles from './live-price.module.css'

/**
 * The current price of a symbol, filled in by the page's script like an entry of the ticker strip: name, price, change,
 * and the price source if it isn't live. Space for all of it is reserved from the start.
 */
export function LivePrice({ symbol, name }: { symbol: string; name: string }) {
  return (
    <p className={styles.quote} data-quote={symbol}>
      <span className={styles.name}>{name}</span> <span className={styles.price}>–</span>{' '}
      <span className={styles.change} /> <span className={styles.name} data-source />
    </p>
  )
}
