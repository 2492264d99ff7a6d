import { Bell, Clock, X } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { alertWords, deleteAlert, saveAlert } from '#web/alerts/index.ts'
import { useRequest } from '#web/api/index.ts'
import { cx, formatPrice, toast, waitingWords } from '#web/ui/index.ts'
import type { DrawnChart } from '../chart/drawing/draw-chart.ts'
import { useLayer } from '../chart/use-layer.ts'
import { cancelWaiting, moveWaiting } from '../waiting/use-waiting.ts'
import styles from './chart-lines.module.css'
import { type LinePlaces, LinesLayer } from './draw-lines.ts'
import type { PriceLine } from './lines.ts'

/** A move by keys is kept this long after the last one. */
const KEEP_AFTER_MS = 700

/** Where a line was moved to, until the account has it, and from where. */
interface Moved {
  key: string
  level: string
  from: string
}

interface ChartLinesProps {
  chart: RefObject<DrawnChart | undefined>
  symbol: string
  /** Decimals of its prices. */
  scale: number
  lines: readonly PriceLine[]
}

/** Alerts and waiting orders on the chart: lines with a handle, which is dragged to another price, or moved by the arrow keys. */
export default function ChartLines({ chart, symbol, scale, lines }: ChartLinesProps) {
  const [places, setPlaces] = useState<LinePlaces>({ width: 0, lines: [] })
  const [moved, setMoved] = useState<Moved>()
  const drawn = useMemo(() => lines.map((line) => toDrawn(line, moved)), [lines, moved])
  const layer = useLayer(
    chart,
    true,
    async () => (to) => to.add((_, prices, look) => new LinesLayer(prices, look, setPlaces)),
    drawn,
    (on, next) => on.set(next),
  )
  const { run } = useRequest((message) => {
    toast.error(message)
    setMoved(undefined)
  })
  const keep = ({ of }: PriceLine, level: string) =>
    void run(async () => {
      if ('order' in of) await moveWaiting(of.order.id, level)
      else await saveAlert({ kind: 'price', symbol, direction: 'either', level }, of.alert.id)
    })
  // The line stays where it was moved to until it is there by itself: in between it would jump back.
  const isKept = moved !== undefined && lines.find(({ key }) => key === moved.key)?.level !== moved.from
  useEffect(() => {
    if (isKept) setMoved(undefined)
  }, [isKept])
  const hasOrders = lines.some(({ of }) => 'order' in of)
  const levelAt = (y: number) => {
    const price = layer.current?.priceAt(y)
    return price !== undefined && price > 0 ? price.toFixed(scale) : undefined
  }
  return (
    <ul
      className={styles.lines}
      style={{ width: places.width }}
      aria-label={`Alerts${hasOrders ? ' and orders' : ''} on ${symbol}`}
    >
      {places.lines.map(({ key, y }) => {
        const line = lines.find((one) => one.key === key)
        if (!line) return null
        return (
          <li key={key} style={{ transform: `translateY(${y}px)` }}>
            <Handle
              line={line}
              level={moved?.key === key ? moved.level : line.level}
              y={y}
              step={stepAt(levelAt, y, scale)}
              levelAt={levelAt}
              scale={scale}
              onMove={(to) => setMoved(to === undefined ? undefined : { key, level: to, from: line.level })}
              onKeep={(to) => keep(line, to)}
            />
          </li>
        )
      })}
    </ul>
  )
}

const toDrawn = ({ key, level, of }: PriceLine, moved: Moved | undefined) => ({
  key,
  price: Number(moved?.key === key ? moved.level : level),
  kept: Number(level),
  isOrder: 'order' in of,
})

/** What a key moves by: two pixels, at least the last digit. */
const stepAt = (levelAt: (y: number) => string | undefined, y: number, scale: number): number =>
  Math.max(10 ** -scale, Math.abs(Number(levelAt(y) ?? 0) - Number(levelAt(y + 2) ?? 0)))

interface HandleProps {
  line: PriceLine
  level: string
  y: number
  step: number
  scale: number
  levelAt: (y: number) => string | undefined
  /** Shows the line elsewhere; undefined: where it was. */
  onMove: (level: string | undefined) => void
  onKeep: (level: string) => void
}

function Handle({ line, level, y, step, scale, levelAt, onMove, onKeep }: HandleProps) {
  const order = 'order' in line.of ? line.of.order : undefined
  const name = order ? 'Order' : 'Alert'
  const drag = useDrag(line.level, y, levelAt, onMove, onKeep)
  const keepLater = useLater(onKeep)
  const { run } = useRequest((message) => toast.error(message))
  const remove = () =>
    void run(async () => {
      if (order) await cancelWaiting(order)
      else if ('alert' in line.of) await deleteAlert(line.of.alert.id)
      toast.success(order ? 'Order cancelled.' : 'Alert deleted.')
    })
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowUp: step, ArrowDown: -step, PageUp: 10 * step, PageDown: -10 * step }[event.key]
    if (by !== undefined) {
      const to = Math.max(10 ** -scale, Number(level) + by).toFixed(scale)
      onMove(to)
      keepLater(to)
    } else if (event.key === 'Escape') {
      keepLater(undefined)
      onMove(undefined)
    } else if (event.key === 'Delete' || event.key === 'Backspace') remove()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const words = wordsOf(line.of, level)
  return (
    <div className={styles.handle}>
      <button
        type="button"
        className={styles.remove}
        aria-label={`${order ? 'Cancel the order' : 'Delete the alert'}: ${words}`}
        title={order ? 'Cancel' : 'Delete'}
        onClick={remove}
      >
        <X aria-hidden />
      </button>
      <div
        className={cx(styles.bell, order && styles.order)}
        role="slider"
        tabIndex={0}
        aria-label={`${name}, drag or use the arrow keys to move it`}
        aria-orientation="vertical"
        aria-valuemin={0}
        aria-valuemax={Number(level) * 2}
        aria-valuenow={Number(level)}
        aria-valuetext={words}
        title={order ? `${words}: drag to move` : `Alert at ${formatPrice(level)}: drag to move`}
        onKeyDown={onKeyDown}
        {...drag}
      >
        {order ? <Clock aria-hidden /> : <Bell aria-hidden />}
      </div>
    </div>
  )
}

/** What a line waits for: `BTCUSDT rises to 70,000`, `Buy BTCUSDT at or above 70,000`. */
function wordsOf(of: PriceLine['of'], level: string): string {
  if ('alert' in of) return `${of.alert.symbol} ${alertWords({ ...of.alert, level })}`
  return `${of.order.trade_mode} ${of.order.symbol} ${waitingWords({ ...of.order, level })}`
}

/** Follows the pointer that took the handle, and keeps where it let go. */
function useDrag(
  level: string,
  y: number,
  levelAt: HandleProps['levelAt'],
  onMove: HandleProps['onMove'],
  onKeep: HandleProps['onKeep'],
) {
  const held = useRef<{ from: number; y: number; level: string | undefined }>(undefined)
  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (!event.isPrimary || event.button > 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      held.current = { from: event.clientY, y, level: undefined }
    },
    onPointerMove(event: PointerEvent) {
      const now = held.current
      if (!now) return
      now.level = levelAt(now.y + event.clientY - now.from)
      if (now.level !== undefined) onMove(now.level)
    },
    onPointerUp() {
      const now = held.current
      held.current = undefined
      if (now?.level === undefined) return
      if (now.level === level) onMove(undefined)
      else onKeep(now.level)
    },
    onPointerCancel() {
      held.current = undefined
      onMove(undefined)
    },
  }
}

/** Calls with the last value, a moment after it; undefined forgets it. */
function useLater(call: (value: string) => void): (value: string | undefined) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return (value) => {
    clearTimeout(timer.current)
    if (value !== undefined) timer.current = setTimeout(() => call(value), KEEP_AFTER_MS)
  }
}
