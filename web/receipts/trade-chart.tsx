import { useQuery } from '@tanstack/react-query'
import type { Candle, CandleInterval } from '#contract/prices/prices.ts'
import { CANDLE_INTERVALS } from '#contract/terms.ts'
import { queryOf, type Trade } from '#web/api/index.ts'
import { endOf } from '#web/client/index.ts'
import { cx, formatPrice, formatTime, Skeleton } from '#web/ui/index.ts'
import styles from './trade-chart.module.css'

const WIDTH = 400
const HEIGHT = 150
/** Room above and below the line. */
const EDGE = 14
/** How much of a trade's duration is shown before and after it. */
const AROUND = 0.2
/** A finer interval would ask for more bars than the picture has pixels. */
const BARS_MOST = 400

interface TradeChartProps {
  trade: Trade
  /** Decimals of its symbol's prices. */
  scale: number | undefined
  /** Whether the details are open: nothing is read before. */
  isOpen: boolean
}

/** What the price did between a trade's entry and its end. Nothing for a trade that no prices decided, or without candles. */
export function TradeChart({ trade, scale, isOpen }: TradeChartProps) {
  const { symbol, entry_price, entry_time, exit_price, status } = trade
  const isDecided = entry_price !== undefined && exit_price !== undefined && entry_time !== undefined
  const intervalName = intervalOf(trade.duration)
  const interval = CANDLE_INTERVALS[intervalName]
  const around = trade.duration * 1_000 * AROUND
  const from = Date.parse(entry_time ?? trade.trade_time) - around
  const to = Date.parse(endOf(trade)) + around
  const limit = String(Math.min(1_000, Math.ceil((to - from) / interval)))
  const { data, isPending } = useQuery({
    ...queryOf('GET /prices/candles', { query: { symbol, interval: intervalName, before: String(to), limit } }),
    enabled: isOpen && isDecided,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (!isDecided) return null
  const bars = (data?.data ?? []).filter(([time]) => time >= from - interval && time < to)
  if (!isPending && bars.length < 2) return null
  return (
    <figure className={cx(styles.chart, status === 'Won' && styles.won, status === 'Lost' && styles.lost)}>
      <div className={styles.box}>
        {isPending ? <Skeleton kind="block" /> : <Drawing trade={trade} bars={bars} from={from} to={to} />}
      </div>
      <figcaption className={styles.ends}>
        <span>
          Entry <strong>{formatPrice(entry_price, scale)}</strong> {formatTime(entry_time)}
        </span>
        <span>
          Exit <strong>{formatPrice(exit_price, scale)}</strong> ended {formatTime(endOf(trade))}
        </span>
      </figcaption>
    </figure>
  )
}

/** Returns the finest interval whose bars fit into the picture. */
function intervalOf(durationSeconds: number): CandleInterval {
  const names = Object.keys(CANDLE_INTERVALS) as CandleInterval[]
  return names.find((name) => (durationSeconds * 1_000) / CANDLE_INTERVALS[name] <= BARS_MOST) ?? '1h'
}

interface DrawingProps {
  trade: Trade
  bars: readonly Candle[]
  from: number
  to: number
}

function Drawing({ trade, bars, from, to }: DrawingProps) {
  const entry = trade.entry_price ?? 0
  const exit = trade.exit_price ?? 0
  const closes = bars.map(([time, , , , close]) => [time, Number(close)] as const)
  const prices = [entry, exit, ...closes.map(([, price]) => price)]
  const low = Math.min(...prices)
  const height = Math.max(...prices) - low || 1
  const x = (ms: number) => (((ms - from) / (to - from)) * WIDTH).toFixed(1)
  const y = (price: number) => (HEIGHT - EDGE - ((price - low) / height) * (HEIGHT - 2 * EDGE)).toFixed(1)
  const begin = x(Date.parse(trade.entry_time ?? trade.trade_time))
  const end = x(Date.parse(endOf(trade)))
  const wins = trade.side === 'Buy' ? { y: 0, height: y(entry) } : { y: y(entry), height: HEIGHT - Number(y(entry)) }
  return (
    <svg
      className={styles.drawing}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`The price of ${trade.symbol} from entry to exit. The shaded side of the entry wins.`}
    >
      <rect className={styles.wins} x={begin} width={Number(end) - Number(begin)} {...wins} />
      <path className={styles.level} d={`M0 ${y(entry)}H${WIDTH}`} vectorEffect="non-scaling-stroke" />
      <path className={styles.level} d={`M${end} 0V${HEIGHT}`} vectorEffect="non-scaling-stroke" />
      <path
        className={styles.price}
        d={closes.map(([time, price], at) => `${at === 0 ? 'M' : 'L'}${x(time)} ${y(price)}`).join('')}
        vectorEffect="non-scaling-stroke"
      />
      <path className={styles.entry} d={`M${begin} ${y(entry)}h0`} vectorEffect="non-scaling-stroke" />
      <path className={styles.exit} d={`M${end} ${y(exit)}h0`} vectorEffect="non-scaling-stroke" />
    </svg>
  )
}
