import { ChevronsRight } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { CandleInterval } from '#contract/prices.ts'
import { type Trade, tapeNow, useTapeSecond } from '#web/api/index.ts'
import { Button, RetryNote, Skeleton } from '#web/ui/index.ts'
import { useHighlight } from '../highlight.ts'
import { useKnown } from '../market/use-known.ts'
import { intervalMsOf } from './candles.ts'
import styles from './chart.module.css'
import { ChartTable } from './chart-table.tsx'
import type { ChartKind, Drawn } from './draw-chart.ts'
import type { Labels } from './draw-marks.ts'
import { readLook, watchTheme } from './look.ts'
import { marksOf } from './marks.ts'
import { Pills } from './pills.tsx'
import { useBars } from './use-bars.ts'

interface ChartProps {
  symbol: string
  /** Decimals of its prices. */
  scale: number
  interval: CandleInterval
  kind: ChartKind
  /** Trades of the shown symbol. */
  trades: readonly Trade[]
  /** Number of bars that the tape has for this interval, once known. */
  onCount: (bars: number) => void
  /** Opens the trades that share a label. */
  onOpen: (tradeIds: readonly string[]) => void
}

/** The chart: bars from the tape, live, with the trades on them. Its box is laid out before anything is drawn. */
export function Chart({ symbol, scale, interval, kind, trades, onCount, onOpen }: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const drawn = useRef<Drawn>(undefined)
  const [drawing, setDrawing] = useState<'loading' | 'ready' | 'failed'>('loading')
  const [attempt, setAttempt] = useState(0)
  const [away, setAway] = useState(false)
  const [labels, setLabels] = useState<Labels>()
  const shown = useRef('')

  const picture = (bars: typeof held.current) => ({
    bars: bars.bars,
    beginning: bars.beginning,
    intervalMs: intervalMsOf(interval),
    kind,
    scale,
  })
  const { ready, problem, count, held, readOlder } = useBars(symbol, interval, {
    onBars: (bars, stay) => {
      drawn.current?.show(picture(bars), stay && shown.current === bars.of)
      if (drawn.current) shown.current = bars.of
    },
    onBar: (bar) => drawn.current?.update(bar),
  })

  const older = useRef(readOlder)
  useEffect(() => {
    older.current = readOlder
  })
  const counted = useRef(onCount)
  useEffect(() => {
    counted.current = onCount
  })
  useEffect(() => {
    if (count !== undefined) counted.current(count)
  }, [count])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt loads the chart's code again
  useEffect(() => {
    const place = box.current
    if (!place) return
    let gone = false
    let end = () => {}
    import('./draw-chart.ts').then(
      ({ drawChart }) => {
        if (gone) return
        const chart = drawChart(place, readLook(place), {
          onNeedOlder: () => void older.current(),
          onAway: setAway,
          onLabels: (next) => setLabels((now) => (now && isSame(now, next) ? now : next)),
        })
        drawn.current = chart
        const endWatch = watchTheme(() => chart.setLook(readLook(place)))
        end = () => {
          endWatch()
          drawn.current = undefined
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

  // The bars may have arrived before the chart's code, and a change of kind redraws the same bars.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only these change the picture besides new bars
  useEffect(() => {
    const of = `${symbol} ${interval}`
    if (drawing !== 'ready' || held.current.of !== of) return
    drawn.current?.show(picture(held.current), shown.current === of)
    shown.current = of
  }, [drawing, kind, scale])

  const isLast = useMarks(symbol, trades, drawing === 'ready' ? drawn.current : undefined)

  return (
    <section className={styles.stage} aria-label={`Chart of ${symbol}`}>
      <div ref={box} className={styles.box} aria-hidden />
      {drawing === 'ready' && ready && labels && labels.bundles.length > 0 && (
        <Pills symbol={symbol} labels={labels} isLast={isLast} onOpen={onOpen} />
      )}
      {(drawing === 'loading' || !ready) && !problem && drawing !== 'failed' && (
        <div className={styles.over}>
          <Skeleton kind="block" className={styles.skeleton} />
        </div>
      )}
      {drawing === 'failed' ? (
        <div className={styles.over} role="alert">
          <p>We couldn't load the chart.</p>
          <RetryNote isRetrying={false} onRetry={() => setAttempt(attempt + 1)} />
        </div>
      ) : (
        problem && (
          <div className={styles.over} role="alert">
            <p>We couldn't load the candles. {problem.message}</p>
            <RetryNote {...problem} />
          </div>
        )
      )}
      {away && (
        <Button look="secondary" size="small" className={styles.newest} onClick={() => drawn.current?.toNewest()}>
          Newest
          <ChevronsRight aria-hidden />
        </Button>
      )}
      <ChartTable symbol={symbol} scale={scale} interval={interval} bars={held} ready={ready} />
    </section>
  )
}

/**
 * Updates the trades on the chart: every second for the time left, with every price for their standing. Returns whether
 * prices have stopped.
 */
function useMarks(symbol: string, trades: readonly Trade[], chart: Drawn | undefined): boolean {
  const second = useTapeSecond()
  const { price, isLast } = useKnown(symbol)
  const highlit = useHighlight(({ ids }) => ids)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the second triggers the update
  useEffect(() => {
    chart?.setMarks(marksOf(trades, { price, isLast }, tapeNow()))
  }, [chart, trades, second, price, isLast])
  useEffect(() => {
    chart?.setHighlit(highlit)
  }, [chart, highlit])
  return isLast
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
