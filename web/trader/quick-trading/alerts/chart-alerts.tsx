import { Bell, X } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import type { Alert } from '#contract/trading/alerts.ts'
import { alertWords, deleteAlert, saveAlert } from '#web/alerts/index.ts'
import { useRequest } from '#web/api/index.ts'
import { formatPrice, toast } from '#web/ui/index.ts'
import type { DrawnChart } from '../chart/drawing/draw-chart.ts'
import { useLayer } from '../chart/use-layer.ts'
import styles from './chart-alerts.module.css'
import { AlertLayer, type AlertPlaces } from './draw-alerts.ts'

/** A move by keys is kept this long after the last one. */
const KEEP_AFTER_MS = 700

/** Where a line was moved to, until the account has it. */
interface Moved {
  id: string
  level: string
}

interface ChartAlertsProps {
  chart: RefObject<DrawnChart | undefined>
  symbol: string
  /** Decimals of its prices. */
  scale: number
  /** Armed price alerts of the symbol. */
  alerts: readonly Alert[]
}

/** The price alerts on the chart: lines with a bell, which is dragged to another price, or moved by the arrow keys. */
export default function ChartAlerts({ chart, symbol, scale, alerts }: ChartAlertsProps) {
  const [places, setPlaces] = useState<AlertPlaces>({ width: 0, lines: [] })
  const [moved, setMoved] = useState<Moved>()
  const lines = useMemo(
    () => alerts.map(({ id, level }) => ({ id, price: Number(moved?.id === id ? moved.level : level) })),
    [alerts, moved],
  )
  const layer = useLayer(
    chart,
    true,
    async () => (to) => to.add((_, prices, look) => new AlertLayer(prices, look, setPlaces)),
    lines,
    (on, next) => on.set(next),
  )
  const { run } = useRequest((message) => {
    toast.error(message)
    setMoved(undefined)
  })
  const keep = ({ id, level }: Moved) =>
    void run(async () => {
      await saveAlert({ kind: 'price', symbol, direction: 'either', level }, id)
      setMoved(undefined)
    })
  const levelAt = (y: number) => {
    const price = layer.current?.priceAt(y)
    return price !== undefined && price > 0 ? price.toFixed(scale) : undefined
  }
  return (
    <ul className={styles.lines} style={{ width: places.width }} aria-label={`Alerts on ${symbol}`}>
      {places.lines.map(({ id, y }) => {
        const alert = alerts.find((one) => one.id === id)
        if (!alert) return null
        const level = moved?.id === id ? moved.level : (alert.level ?? '')
        return (
          <li key={id} style={{ transform: `translateY(${y}px)` }}>
            <Handle
              alert={alert}
              level={level}
              y={y}
              step={stepAt(levelAt, y, scale)}
              levelAt={levelAt}
              scale={scale}
              onMove={(to) => setMoved(to === undefined ? undefined : { id, level: to })}
              onKeep={(to) => keep({ id, level: to })}
            />
          </li>
        )
      })}
    </ul>
  )
}

/** What a key moves by: two pixels, at least the last digit. */
const stepAt = (levelAt: (y: number) => string | undefined, y: number, scale: number): number =>
  Math.max(10 ** -scale, Math.abs(Number(levelAt(y) ?? 0) - Number(levelAt(y + 2) ?? 0)))

interface HandleProps {
  alert: Alert
  level: string
  y: number
  step: number
  scale: number
  levelAt: (y: number) => string | undefined
  /** Shows the line elsewhere; undefined: where it was. */
  onMove: (level: string | undefined) => void
  onKeep: (level: string) => void
}

function Handle({ alert, level, y, step, scale, levelAt, onMove, onKeep }: HandleProps) {
  const drag = useDrag(alert.level ?? '', y, levelAt, onMove, onKeep)
  const keepLater = useLater(onKeep)
  const { run } = useRequest((message) => toast.error(message))
  const remove = () =>
    void run(async () => {
      await deleteAlert(alert.id)
      toast.success('Alert deleted.')
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
  const words = `${alert.symbol} ${alertWords({ ...alert, level })}`
  return (
    <div className={styles.handle}>
      <button
        type="button"
        className={styles.remove}
        aria-label={`Delete the alert: ${words}`}
        title="Delete"
        onClick={remove}
      >
        <X aria-hidden />
      </button>
      <div
        className={styles.bell}
        role="slider"
        tabIndex={0}
        aria-label="Alert, drag or use the arrow keys to move it"
        aria-orientation="vertical"
        aria-valuemin={0}
        aria-valuemax={Number(level) * 2}
        aria-valuenow={Number(level)}
        aria-valuetext={words}
        title={`Alert at ${formatPrice(level)}: drag to move`}
        onKeyDown={onKeyDown}
        {...drag}
      >
        <Bell aria-hidden />
      </div>
    </div>
  )
}

/** Follows the pointer that took the bell, and keeps where it let go. */
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
