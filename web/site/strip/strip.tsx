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
 * The live-ticker strip, filled by the page's script. What there is no price for shows a dash; where prices are not live
 * the strip says so. Every place has its width from the beginning, so that nothing moves when a price comes.
 */
export function Strip() {
  return (
    <section className={styles.strip} aria-label="Market prices" data-strip>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
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
