import type { CandleInterval } from '#contract/prices/prices.ts'
import { tapeNow, useTapeSecond } from '#web/api/index.ts'
import { formatCountdown, formatPercentSigned, formatPrice } from '#web/ui/index.ts'
import { intervalMsOf } from '../candles.ts'
import styles from './legend.module.css'
import { useLegend } from './legend-store.ts'

/** Says where the legend ends, however many lines it has. */
function sayBottom(legend: HTMLElement | null) {
  if (!legend) return
  const say = () => useLegend.setState({ bottom: legend.offsetTop + legend.offsetHeight })
  const observer = new ResizeObserver(say)
  observer.observe(legend)
  return () => observer.disconnect()
}

interface LegendProps {
  symbol: string
  interval: CandleInterval
  scale: number
  /** The candles are averages, no prices. */
  isHeikin: boolean
}

/** Open, high, low, close and change of the bar under the crosshair, or of the newest; below it, the indicators. */
export function Legend({ symbol, interval, scale, isHeikin }: LegendProps) {
  const { bar, before, lines } = useLegend()
  if (!bar) return null
  const from = before?.close ?? bar.open
  const isUp = bar.close >= from
  const prices = [
    { name: 'Open', letter: 'O', price: bar.open, look: styles.open },
    { name: 'High', letter: 'H', price: bar.high, look: styles.minor },
    { name: 'Low', letter: 'L', price: bar.low, look: styles.minor },
    { name: 'Close', letter: 'C', price: bar.close, look: undefined },
  ]
  return (
    <div ref={sayBottom} className={styles.legend} aria-hidden>
      <p className={styles.line}>
        <b className={styles.symbol}>
          {symbol} · {interval}
        </b>
        {prices.map(({ name, letter, price, look }) => (
          <span key={name} className={look}>
            {letter} <b className={isUp ? styles.up : styles.down}>{formatPrice(price, scale)}</b>
          </span>
        ))}
        {from !== 0 && (
          <b className={isUp ? styles.up : styles.down}>{formatPercentSigned((100 * (bar.close - from)) / from)}</b>
        )}
        {isHeikin && <span className={styles.minor}>Prices, drawn as Heikin Ashi</span>}
      </p>
      {lines.length > 0 && (
        <p className={styles.line}>
          {lines.map(({ id, name, values }) => (
            <span key={id}>
              {name}{' '}
              {values.map(({ text, colour }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the lines of an indicator keep their order
                <b key={at} style={{ color: colour }}>
                  {text}{' '}
                </b>
              ))}
            </span>
          ))}
        </p>
      )}
    </div>
  )
}

/** What a screen reader hears while the keyboard moves the crosshair. */
export function PointedBar({ scale, timeText }: { scale: number; timeText: (timeMs: number) => string }) {
  const { bar, isPointed } = useLegend()
  const price = (value: number) => formatPrice(value, scale)
  return (
    <p className="visually-hidden" role="status">
      {isPointed && bar
        ? `${timeText(bar.time)}: open ${price(bar.open)}, high ${price(bar.high)}, low ${price(bar.low)}, close ${price(bar.close)}`
        : ''}
    </p>
  )
}

/** How long the newest candle is still open. A second's candle is closed at once. */
export function CandleClock({ interval }: { interval: CandleInterval }) {
  useTapeSecond()
  const ms = intervalMsOf(interval)
  if (ms < 5_000) return null
  const now = tapeNow()
  return (
    <p className={styles.clock}>
      <span className="visually-hidden">Candle closes in </span>
      <b>{formatCountdown(ms - (now % ms))}</b>
    </p>
  )
}
