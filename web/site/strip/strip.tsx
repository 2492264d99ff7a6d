import { cx } from '#web/ui/index.ts'
import styles from './strip.module.css'

const QUOTES = [
  ['SPX', 'S&P 500', styles.index],
  ['NDX', 'Nasdaq 100', styles.longIndex],
  ['EURUSD', 'EUR/USD', styles.currency],
  ['BTCUSD', 'BTC/USD', styles.coin],
  ['ETHUSD', 'ETH/USD', styles.coin],
] as const

/**
 * The live ticker strip, filled in by the page's script. A symbol without a price shows a dash; if prices aren't live,
 * the strip says so. Every entry has its width from the start, so that nothing moves when a price arrives.
 */
export function Strip() {
  return (
    <section className={styles.strip} aria-label="Market prices" data-strip>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
      <ul className={styles.quotes} tabIndex={0}>
        {QUOTES.map(([symbol, name, width]) => (
          <li key={symbol} className={cx(styles.quote, width)} data-quote={symbol}>
            <span className={styles.name}>{name}</span> <span className={styles.price}>–</span>{' '}
            <span className={styles.change} />
          </li>
        ))}
        <li className={styles.source} data-source />
      </ul>
    </section>
  )
}
