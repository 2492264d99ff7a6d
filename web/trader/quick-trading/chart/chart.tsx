import { ChevronsRight } from 'lucide-react'
import { type KeyboardEvent, lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react'
import type { CandleInterval } from '#contract/prices/prices.ts'
import type { ChartDocument } from '#contract/trading/chart.ts'
import type { ChartKind } from '#contract/trading/chart-terms.ts'
import type { Problem, Trade } from '#web/api/index.ts'
import { Button, cx, formatDateTime, RetryNote, Skeleton } from '#web/ui/index.ts'
import type { PriceLine } from '../alerts/lines.ts'
import type { Goal } from '../use-trade-views.ts'
import { intervalMsOf } from './candles.ts'
import styles from './chart.module.css'
import { setShownChart } from './chart-handle.ts'
import { ChartTable } from './chart-table.tsx'
import type { DrawnChart } from './drawing/draw-chart.ts'
import type { Labels } from './drawing/draw-marks.ts'
import { readLook, watchTheme } from './drawing/look.ts'
import { CandleClock, Legend, PointedBar } from './legend/legend.tsx'
import { type Bars, useBars } from './use-bars.ts'
import { useLayer } from './use-layer.ts'

/** Only where there are trades. */
const Marks = lazy(() => import('./labels/pills.tsx'))
/** Only for traders who draw. */
const Drawings = lazy(() => import('../drawings/drawings.tsx'))
/** Only where there are some. */
const ChartLines = lazy(() => import('../alerts/chart-lines.tsx'))

interface ChartProps {
  symbol: string
  /** Decimals of its prices. */
  scale: number
  interval: CandleInterval
  kind: ChartKind
  /** The price axis is logarithmic. */
  log: boolean
  /** Indicators and drawings; undefined until they are known. */
  document: ChartDocument | undefined
  /** The drawing tools are open. */
  isDrawing: boolean
  onDrawn: () => void
  /** Trades of the shown symbol. */
  trades: readonly Trade[]
  /** Prices of the shown symbol that something waits for. */
  lines: readonly PriceLine[]
  /** Prices are old. */
  isOld: boolean
  /** Number of bars that the tape has for this interval, once known. */
  onCount: (bars: number) => void
  /** The trade to show. */
  goal: Goal | undefined
  /** Opens the trades that share a label. */
  onOpen: (tradeIds: readonly string[]) => void
}

/** Without any. */
const NONE: never[] = []

/** The chart: bars from the tape, live, with the trades on them. Its box is laid out before anything is drawn. */
export function Chart({ trades, lines, isOld, goal, onOpen, ...props }: ChartProps) {
  const { symbol, scale, interval, kind } = props
  const of = `${symbol} ${interval}`
  const { bars, drawing, drawn, shown, ...state } = useDrawnBars(props)
  const goOn = useGoal(
    goal,
    drawing.state,
    (timeMs) => (goal?.symbol === symbol && shown.current === of ? drawn.current?.goTo(timeMs) : undefined),
    bars.readOlder,
  )
  useEffect(() => {
    state.onDrawn.current = goOn
  })
  useIndicators(drawn, drawing.state, props.document?.indicators ?? NONE)
  const isReady = drawing.state === 'ready' && bars.ready
  const [slot, setSlot] = useState<HTMLElement | null>(null)

  return (
    <section className={styles.stage} aria-label={`Chart of ${symbol}`}>
      <div ref={setSlot} />
      <div className={styles.area}>
        <div ref={drawing.box} className={cx(styles.box, isOld && styles.old)} aria-hidden />
        <Pointing {...props} drawn={drawn} isReady={drawing.state === 'ready'} slot={slot} />
        {isReady && <Legend symbol={symbol} interval={interval} scale={scale} isHeikin={kind === 'heikin'} />}
        {isReady && <CandleClock interval={interval} />}
        {drawing.state === 'ready' && trades.length > 0 && (
          <Suspense>
            <Marks
              symbol={symbol}
              trades={trades}
              chart={drawn.current}
              labels={bars.ready ? drawing.labels : undefined}
              shownId={goal?.tradeId}
              onOpen={onOpen}
            />
          </Suspense>
        )}
        {isReady && lines.length > 0 && (
          <Suspense>
            <ChartLines key={symbol} chart={drawn} symbol={symbol} scale={scale} lines={lines} />
          </Suspense>
        )}
        <Cover drawing={drawing.state} ready={bars.ready} problem={bars.problem} onRetry={drawing.retry} />
        {drawing.away && (
          <Button look="secondary" size="small" className={styles.newest} onClick={() => drawn.current?.toNewest()}>
            Newest
            <ChevronsRight aria-hidden />
          </Button>
        )}
        <ChartTable symbol={symbol} scale={scale} interval={interval} bars={bars.held} ready={bars.ready} />
      </div>
    </section>
  )
}

type Shown = Pick<ChartProps, 'symbol' | 'scale' | 'interval' | 'kind' | 'log' | 'onCount'>

/** Reads the bars and draws them. `shown`: which bars are drawn; `onDrawn`: called after bars were. */
function useDrawnBars({ symbol, scale, interval, kind, log, onCount }: Shown) {
  const of = `${symbol} ${interval}`
  const onDrawn = useRef(() => {})
  const picture = ({ bars, beginning }: Bars) => ({
    bars,
    beginning,
    intervalMs: intervalMsOf(interval),
    kind,
    log,
    scale,
  })
  const bars = useBars(symbol, interval, {
    onBars: (next, stay) => {
      drawn.current?.show(picture(next), stay && shown.current === next.of)
      if (drawn.current) shown.current = next.of
      onDrawn.current()
    },
    onBar: (bar) => drawn.current?.update(bar),
  })
  const { drawn, shown, ...drawing } = useDrawing(bars.readOlder)

  const counted = useRef(onCount)
  useEffect(() => {
    counted.current = onCount
  })
  useEffect(() => {
    if (bars.count !== undefined) counted.current(bars.count)
  }, [bars.count])

  // The bars may have arrived before the chart's code, and a change of kind redraws the same bars.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only these change the picture besides new bars
  useEffect(() => {
    if (drawing.state !== 'ready' || bars.held.current.of !== of) return
    drawn.current?.show(picture(bars.held.current), shown.current === of)
    shown.current = of
  }, [drawing.state, kind, log, scale])

  return { bars, drawing, drawn, shown, onDrawn }
}

/** Draws the indicators; their code loads with the first one. */
function useIndicators(
  drawn: RefObject<DrawnChart | undefined>,
  drawing: Drawing,
  indicators: NonNullable<ChartDocument['indicators']>,
): void {
  useLayer(
    drawn,
    drawing === 'ready' && indicators.length > 0,
    async () => {
      const { IndicatorLayer } = await import('./drawing/draw-indicators.ts')
      return (to) => to.add((chart, _, look) => new IndicatorLayer(chart, look))
    },
    indicators,
    (layer, chosen) => layer.set(chosen),
  )
}

type PointingProps = Pick<ChartProps, 'symbol' | 'scale' | 'document' | 'isDrawing' | 'onDrawn'> & {
  drawn: RefObject<DrawnChart | undefined>
  isReady: boolean
  /** Where the tools of drawings are. */
  slot: HTMLElement | null
}

/**
 * The chart for the keyboard: arrow keys move the crosshair from candle to candle, or what is being drawn; Escape ends
 * both. The drawings' code loads with the first one.
 */
function Pointing({ drawn, symbol, scale, document, isDrawing, onDrawn, isReady, slot }: PointingProps) {
  const drawings = document?.drawings?.[symbol] ?? NONE
  const hadDrawings = useRef('')
  if (drawings.length > 0) hadDrawings.current = symbol
  const onKeyDown = (event: KeyboardEvent) => {
    const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key]
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (steps !== undefined && drawn.current?.movePoint(steps)) event.preventDefault()
    if (event.key === 'Escape') drawn.current?.clearPoint()
  }
  return (
    <>
      <div
        className={styles.crosshair}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes the arrow keys, as a slider does
        tabIndex={0}
        role="application"
        aria-label={`Candles of ${symbol}: arrow keys move from candle to candle`}
        onKeyDown={onKeyDown}
        onBlur={() => drawn.current?.clearPoint()}
      />
      <PointedBar scale={scale} timeText={formatDateTime} />
      {isReady && (isDrawing || hadDrawings.current === symbol) && (
        <Suspense>
          <Drawings
            key={symbol}
            chart={drawn}
            symbol={symbol}
            drawings={drawings}
            isOpen={isDrawing}
            onClose={onDrawn}
            slot={slot}
          />
        </Suspense>
      )}
    </>
  )
}

interface CoverProps {
  drawing: Drawing
  ready: boolean
  problem: Problem | undefined
  onRetry: () => void
}

/** Over the chart while there's nothing to see, or what went wrong. */
function Cover({ drawing, ready, problem, onRetry }: CoverProps) {
  if (drawing === 'failed')
    return (
      <div className={styles.over} role="alert">
        <p>We couldn't load the chart.</p>
        <RetryNote isRetrying={false} onRetry={onRetry} />
      </div>
    )
  if (problem)
    return (
      <div className={styles.over} role="alert">
        <p>We couldn't load the candles. {problem.message}</p>
        <RetryNote {...problem} />
      </div>
    )
  if (drawing === 'ready' && ready) return null
  return (
    <div className={styles.over}>
      <Skeleton kind="block" className={styles.skeleton} />
    </div>
  )
}

type Drawing = 'loading' | 'ready' | 'failed'

/** Loads the chart's code and draws into `box`. `shown`: which bars are drawn. */
function useDrawing(readOlder: () => Promise<void>) {
  const box = useRef<HTMLDivElement>(null)
  const drawn = useRef<DrawnChart>(undefined)
  const shown = useRef('')
  const [drawing, setDrawing] = useState<Drawing>('loading')
  const [attempt, setAttempt] = useState(0)
  const [away, setAway] = useState(false)
  const [labels, setLabels] = useState<Labels>()
  const older = useRef(readOlder)
  useEffect(() => {
    older.current = readOlder
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt loads the chart's code again
  useEffect(() => {
    const place = box.current
    if (!place) return
    let gone = false
    let end = () => {}
    import('./drawing/draw-chart.ts').then(
      ({ DrawnChart }) => {
        if (gone) return
        const chart = new DrawnChart(place, readLook(place), {
          onNeedOlder: () => void older.current(),
          onAway: setAway,
          onLabels: (next) => setLabels((now) => (now && isSame(now, next) ? now : next)),
        })
        drawn.current = chart
        setShownChart(chart)
        const endWatch = watchTheme(() => chart.setLook(readLook(place)))
        end = () => {
          endWatch()
          drawn.current = undefined
          setShownChart(undefined)
          shown.current = ''
          chart.remove()
        }
        setDrawing('ready')
      },
      () => !gone && setDrawing('failed'),
    )
    return () => {
      gone = true
      end()
      setDrawing('loading')
    }
  }, [attempt])

  return { box, drawn, shown, state: drawing, away, labels, retry: () => setAttempt(attempt + 1) }
}

/** Requests of older bars to reach a trade: 3,000 bars. */
const GOAL_REQUESTS = 10

/**
 * Moves the chart to a trade, once its bars are drawn; reads older ones until they reach it. `goTo` returns undefined
 * while other bars are drawn. Returns what to call when bars were drawn.
 */
function useGoal(
  goal: Goal | undefined,
  drawing: Drawing,
  goTo: (timeMs: number) => boolean | undefined,
  readOlder: () => Promise<void>,
): () => void {
  const pending = useRef<{ entryMs: number; requests: number }>(undefined)
  const goOn = () => {
    const now = pending.current
    const isThere = now && goTo(now.entryMs)
    if (!now || isThere === undefined) return
    if (isThere || now.requests === 0) pending.current = undefined
    else {
      now.requests--
      void readOlder()
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new goal, or a new drawing, starts it
  useEffect(() => {
    if (goal) pending.current = { entryMs: goal.entryMs, requests: GOAL_REQUESTS }
    goOn()
  }, [goal, drawing])
  return goOn
}

/** Whether the same labels were drawn at the same place, to the pixel: not every frame is a change. */
const isSame = (a: Labels, b: Labels): boolean => keyOf(a) === keyOf(b)

const keyOf = ({ x, width, bundles }: Labels): string =>
  [
    Math.round(x),
    width,
    ...bundles.map(({ lines, y, sum }) => [
      Math.round(y),
      sum,
      ...lines.map(({ mark }) => [mark.id, mark.standing, mark.words]),
    ]),
  ].join()
