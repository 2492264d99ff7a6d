import { ArrowDown, ArrowUp } from 'lucide-react'
import { breakEvenRate } from '#contract/prices/measured.ts'
import { percentOf, type TradeSide } from '#contract/terms.ts'
import { LivePrice } from './live-price.tsx'
import styles from './order-card.module.css'

/** The demo begins with it. */
const SYMBOL = 'BTCUSDT'
const STAKE = 100
/** The best strike rate of each side in the first price list. */
const BEST = { Buy: percentOf('75/3', 'Buy'), Sell: percentOf('1/61', 'Sell') }

const dollars = (percent: number) => `$${((STAKE * percent) / 100).toFixed(2)}`
const breakEven = (side: TradeSide) => `${breakEvenRate(BEST[side]).toFixed(1)}%`

/**
 * An order for one minute with the live price and what it wins and loses, as in the trading screen. The page's script
 * draws the candles, names the end and follows the side under the pointer; both buttons open the demo.
 */
export function OrderCard() {
  return (
    <section className={styles.card} aria-label={`An order in the demo: ${SYMBOL}`} data-widget="order">
      <div className={styles.top}>
        <LivePrice symbol={SYMBOL} name="BTC/USDT" />
        <span className={styles.demo}>Demo</span>
      </div>
      <svg className={styles.chart} viewBox="0 0 432 140" preserveAspectRatio="none" aria-hidden="true">
        <g data-bars />
        <line className={styles.last} x1="0" x2="432" y1="0" y2="0" data-last visibility="hidden" />
        <line className={styles.end} x1="398" x2="398" y1="0" y2="140" />
      </svg>
      <p className={styles.sentence}>
        You win <b data-win>{dollars(BEST.Buy)}</b> if {SYMBOL} is <b data-outcome>higher</b>{' '}
        <b data-end>in one minute.</b> <span>You lose ${STAKE}.00 otherwise.</span>
      </p>
      <div className={styles.sides}>
        <a
          className={styles.buy}
          href="/user/home?demo"
          data-side="Buy"
          data-pays={dollars(BEST.Buy)}
          data-goes="higher"
        >
          <ArrowUp aria-hidden /> Buy <span>+{dollars(BEST.Buy).slice(1)}</span>
        </a>
        <a
          className={styles.sell}
          href="/user/home?demo"
          data-side="Sell"
          data-pays={dollars(BEST.Sell)}
          data-goes="lower"
        >
          <ArrowDown aria-hidden /> Sell <span>+{dollars(BEST.Sell).slice(1)}</span>
        </a>
      </div>
      <p className={styles.foot}>
        An example by our first price list. Equal: stake back. Break-even: right {breakEven('Buy')} of the time with
        Buy, {breakEven('Sell')} with Sell.
      </p>
    </section>
  )
}
