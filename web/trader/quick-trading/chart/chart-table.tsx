import { type RefObject, useEffect, useState } from 'react'
import type { CandleInterval } from '#contract/prices/prices.ts'
import { livePrice } from '#web/api/index.ts'
import { formatDateTime, formatPrice } from '#web/ui/index.ts'
import type { Bar } from './candles.ts'
import type { Bars } from './use-bars.ts'

const ROWS = 10
/** Often enough to be accurate, rarely enough to be readable. */
const EVERY_MS = 10_000

interface ChartTableProps {
  symbol: string
  scale: number
  interval: CandleInterval
  bars: RefObject<Bars>
  ready: boolean
}

/** The chart as text and figures, for screen readers. */
export function ChartTable({ symbol, scale, interval, bars, ready }: ChartTableProps) {
  const [rows, setRows] = useState<readonly Bar[]>([])
  useEffect(() => {
    const look = () =>
      setRows(bars.current.of === `${symbol} ${interval}` ? bars.current.bars.slice(-ROWS).reverse() : [])
    if (!ready) return setRows([])
    look()
    const timer = setInterval(look, EVERY_MS)
    return () => clearInterval(timer)
  }, [symbol, interval, bars, ready])
  return (
    <div className="visually-hidden">
      <p>
        Latest price of {symbol}: {formatPrice(livePrice(symbol)?.price ?? rows[0]?.close, scale)}
      </p>
      <table>
        <caption>
          Last {ROWS} candles ({interval}), newest first
        </caption>
        <thead>
          <tr>
            {['Time', 'Open', 'High', 'Low', 'Close'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((bar) => (
            <tr key={bar.time}>
              <th scope="row">{formatDateTime(bar.time)}</th>
              <td>{formatPrice(bar.open, scale)}</td>
              <td>{formatPrice(bar.high, scale)}</td>
              <td>{formatPrice(bar.low, scale)}</td>
              <td>{formatPrice(bar.close, scale)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
