import styles from './product-picture.module.css'

const CANDLES = [
  [118, 96, 128, 88],
  [104, 112, 120, 94],
  [112, 90, 118, 84],
  [92, 100, 108, 86],
  [100, 76, 104, 70],
  [78, 84, 92, 70],
  [84, 62, 90, 56],
  [64, 70, 78, 58],
  [70, 50, 76, 42],
  [52, 58, 66, 46],
  [58, 40, 64, 34],
] as const

/** A drawing of the trading screen: candles, the entry line, and the two buttons. Figures in it are an example. */
export function ProductPicture() {
  return (
    <figure className={styles.picture}>
      <svg viewBox="0 0 440 300" aria-hidden="true">
        <rect className={styles.card} x="0.5" y="0.5" width="439" height="299" rx="18" />
        <text className={styles.symbol} x="24" y="40">
          BTC / USDT
        </text>
        <text className={styles.quiet} x="416" y="40" textAnchor="end">
          Example
        </text>
        <g transform="translate(24 58)">
          <path className={styles.grid} d="M0 20H392M0 62H392M0 104H392M0 146H392" />
          {CANDLES.map(([open, close, low, high], n) => (
            <g key={`${open}-${close}`} className={close < open ? styles.up : styles.down}>
              <rect x={n * 26 + 11} y={high} width="1.5" height={low - high} />
              <rect x={n * 26 + 5} y={Math.min(open, close)} width="13" height={Math.abs(close - open)} rx="2" />
            </g>
          ))}
          <path className={styles.entry} d="M176 84H392" />
          <path className={styles.expiry} d="M340 0V150" />
          <circle className={styles.now} cx="284" cy="40" r="4.5" />
        </g>
        <g transform="translate(24 232)">
          <rect className={styles.buy} width="190" height="44" rx="11" />
          <path className={styles.onBuy} d="m66 26 6-7 6 7z" />
          <text className={styles.buyWord} x="88" y="27">
            Buy 75%
          </text>
          <rect className={styles.sell} x="202" width="190" height="44" rx="11" />
          <path className={styles.onSell} d="m268 19 6 7 6-7z" />
          <text className={styles.sellWord} x="290" y="27">
            Sell 3%
          </text>
        </g>
      </svg>
      <figcaption className="visually-hidden">
        A drawing of the trading screen: a candle chart with the entry line of an open trade, and the Buy and Sell
        buttons.
      </figcaption>
    </figure>
  )
}
