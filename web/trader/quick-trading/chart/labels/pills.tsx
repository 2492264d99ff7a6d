import { ArrowDown, ArrowUp, Bot } from 'lucide-react'
import { type FocusEvent, type KeyboardEvent, useEffect, useLayoutEffect, useRef } from 'react'
import { type Trade, tapeNow, useKnown, useTapeSecond } from '#web/api/index.ts'
import { cx, signedAmount } from '#web/ui/index.ts'
import { highlight, useHighlight, useHighlightOn } from '../../highlight.ts'
import type { DrawnChart } from '../drawing/draw-chart.ts'
import type { Labels, OpenLine } from '../drawing/draw-marks.ts'
import type { Bundle } from './bundles.ts'
import { marksOf } from './marks.ts'
import styles from './pills.module.css'

interface MarksProps extends Pick<PillsProps, 'symbol' | 'onOpen'> {
  /** Trades of the shown symbol. */
  trades: readonly Trade[]
  chart: DrawnChart | undefined
  labels: Labels | undefined
  /** The trade that the trader has the chart show. */
  shownId: string | undefined
}

/** The trades on the chart: has them drawn, and labels the open ones. */
export default function Marks({ symbol, trades, chart, labels, shownId, onOpen }: MarksProps) {
  const isLast = useMarks(symbol, trades, chart, shownId)
  if (!labels || labels.bundles.length === 0) return null
  return <Pills symbol={symbol} labels={labels} isLast={isLast} onOpen={onOpen} />
}

/**
 * Updates the trades on the chart: every second for the time left, with every price for their standing. Returns whether
 * prices have stopped.
 */
function useMarks(
  symbol: string,
  trades: readonly Trade[],
  chart: DrawnChart | undefined,
  shownId: string | undefined,
): boolean {
  const second = useTapeSecond()
  const { price, isLast } = useKnown(symbol)
  const highlit = useHighlight(({ ids }) => ids)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the second triggers the update
  useEffect(() => {
    chart?.setMarks(marksOf(trades, { price, isLast }, tapeNow(), shownId))
  }, [chart, trades, second, price, isLast, shownId])
  useEffect(() => {
    chart?.setHighlit(highlit)
  }, [chart, highlit])
  useEffect(() => {
    if (shownId !== undefined) highlight([shownId])
  }, [shownId])
  useEffect(() => () => chart?.setMarks([]), [chart])
  return isLast
}

interface PillsProps {
  symbol: string
  labels: Labels
  /** Prices have stopped: what is shown is the last that is known. */
  isLast: boolean
  /** Opens what a label stands for. */
  onOpen: (tradeIds: readonly string[]) => void
}

/**
 * The labels of open trades, on their lines: side, result if it ended now, time left; or how many share one, their sum
 * and how many are winning. One stop for the Tab key; arrows move between them.
 */
function Pills({ symbol, labels: { x, width, bundles }, isLast, onOpen }: PillsProps) {
  const focus = useKeptFocus(bundles)
  return (
    <ul
      className={styles.pills}
      style={{ width }}
      aria-label={`Open trades on ${symbol}`}
      onKeyDown={moveFocus}
      {...focus}
    >
      {bundles.map((bundle, index) => (
        <li key={oldest(bundle)}>
          <Pill
            bundle={bundle}
            // A percentage is one of the label's own width: it stays within the pane.
            place={`translate(min(${Math.round(x)}px, calc(${Math.round(width)}px - 100% - 4px)), ${Math.round(bundle.y)}px)`}
            isStop={index === 0}
            isLast={isLast}
            onOpen={onOpen}
          />
        </li>
      ))}
    </ul>
  )
}

/** Keeps the focus with its trade, whose label may be joined to another's by the next price. */
function useKeptFocus(bundles: readonly Bundle<OpenLine>[]) {
  const list = useRef<HTMLUListElement>(null)
  const focused = useRef<string>(undefined)
  useLayoutEffect(() => {
    const id = focused.current
    if (id === undefined || !list.current || list.current.contains(document.activeElement)) return
    const at = bundles.findIndex(({ lines }) => lines.some((line) => line.id === id))
    buttonsOf(list.current)[at]?.focus()
  }, [bundles])
  return {
    ref: list,
    onFocus({ currentTarget, target }: FocusEvent<HTMLUListElement>) {
      const buttons: Element[] = buttonsOf(currentTarget)
      focused.current = bundles[buttons.indexOf(target)]?.lines[0]?.id
    },
    onBlur() {
      focused.current = undefined
    },
  }
}

const buttonsOf = (list: HTMLUListElement) => [...list.querySelectorAll('button')]

/** A label keeps its focus while the trades that share it change around its oldest. */
const oldest = ({ lines }: Bundle<OpenLine>): string | undefined => lines.map(({ id }) => id).sort()[0]

function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key]
  if (step === undefined) return
  event.preventDefault()
  const pills = buttonsOf(event.currentTarget)
  const at = pills.indexOf(document.activeElement as HTMLButtonElement)
  pills[Math.max(0, Math.min(pills.length - 1, at + step))]?.focus()
}

interface PillProps {
  bundle: Bundle<OpenLine>
  place: string
  isStop: boolean
  isLast: boolean
  onOpen: (tradeIds: readonly string[]) => void
}

function Pill({ bundle, place, isStop, isLast, onOpen }: PillProps) {
  const ids = bundle.lines.map(({ id }) => id)
  const isHighlit = useHighlight((now) => now.ids.some((id) => ids.includes(id)))
  const highlights = useHighlightOn(ids)
  const [{ mark }] = bundle.lines as [OpenLine]
  const isOne = bundle.lines.length === 1
  return (
    <button
      type="button"
      className={cx(
        styles.pill,
        isOne && mark.standing === 'won' && styles.won,
        isOne && mark.standing === 'lost' && styles.lost,
        isHighlit && styles.highlit,
        isLast && styles.last,
      )}
      style={{ transform: place }}
      tabIndex={isStop ? 0 : -1}
      onClick={() => onOpen(ids)}
      {...highlights}
    >
      {isOne ? <One mark={mark} /> : <Several bundle={bundle} isLast={isLast} />}
    </button>
  )
}

function One({ mark: { side, change, words, isAuto } }: Pick<OpenLine, 'mark'>) {
  const Arrow = side === 'Buy' ? ArrowUp : ArrowDown
  return (
    <>
      <Arrow aria-hidden />
      <span className="visually-hidden">{side}</span>
      {isAuto && <Bot aria-label="Auto" />}
      <span>{change === undefined ? 'Entering' : signedAmount(change)}</span>
      <span className={styles.more}>{words}</span>
    </>
  )
}

function Several({ bundle: { lines, sum, winning }, isLast }: { bundle: Bundle<OpenLine>; isLast: boolean }) {
  return (
    <>
      <span className={styles.count}>
        {lines.length}
        <span className="visually-hidden"> trades</span>
      </span>
      <span className={cx(sum !== undefined && (sum > 0 ? styles.up : sum < 0 && styles.down))}>
        {sum === undefined ? 'Entering' : signedAmount(sum / 100)}
      </span>
      <span className={styles.more}>{isLast ? 'last known' : `${winning} winning`}</span>
    </>
  )
}
