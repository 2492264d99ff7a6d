import styles from './hero-chart.module.css'

/** A drawing of a Buy trade: the entry line, the price, and the exit above the line. */
export function HeroChart() {
  return (
    <svg className={styles.chart} viewBox="0 0 420 200" aria-hidden="true">
      <g className={styles.grid}>
        <path d="M0 40H420M0 90H420M0 140H420M0 190H420" />
      </g>
      <path
        className={styles.area}
        d="M0 150 26 141 48 152 74 128 98 136 122 112 150 121 176 118 202 96 228 108 252 84 280 93 306 62 330 74 356 48V200H0Z"
      />
      <path className={styles.entry} d="M150 121H420" />
      <path
        className={styles.line}
        d="M0 150 26 141 48 152 74 128 98 136 122 112 150 121 176 118 202 96 228 108 252 84 280 93 306 62 330 74 356 48"
      />
      <path className={styles.expiry} d="M356 16V190" />
      <circle className={styles.start} cx="150" cy="121" r="5" />
      <circle className={styles.pulse} cx="356" cy="48" r="12" />
      <circle className={styles.end} cx="356" cy="48" r="5.5" />
      <g className={styles.words}>
        <text x="158" y="139">
          Buy
        </text>
        <text x="348" y="28" textAnchor="end">
          Exit above entry: won
        </text>
      </g>
    </svg>
  )
}
