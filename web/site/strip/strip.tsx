import styles from './strip.module.css'

const QUOTES = ['S&P 500', 'Nasdaq 100', 'EUR/USD', 'BTC/USD', 'ETH/USD'] as const

/** The live-ticker strip. What there is no price for shows a dash. */
export function Strip() {
  return (
    <section className={styles.strip} aria-label="Market prices" data-strip>
      <ul className={styles.quotes}>
        {QUOTES.map((name) => (
          <li key={name} className={styles.quote} data-quote={name}>
            <span className={styles.name}>{name}</span> <span className={styles.price}>–</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
