import { ArrowDown, ArrowUp, Bot } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { cx, signedAmount } from '#web/ui/index.ts'
import { highlightOn, useHighlight } from '../highlight.ts'
import type { Bundle } from './bundles.ts'
import type { Labels, OpenLine } from './draw-marks.ts'
import styles from './pills.module.css'

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
export function Pills({ symbol, labels: { x, width, bundles }, isLast, onOpen }: PillsProps) {
  return (
    <ul className={styles.pills} style={{ width }} aria-label={`Open trades on ${symbol}`} onKeyDown={moveFocus}>
      {bundles.map((bundle, index) => (
        <li key={bundle.lines.map(({ id }) => id).join()}>
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

function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key]
  if (step === undefined) return
  event.preventDefault()
  const pills = [...event.currentTarget.querySelectorAll('button')]
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
      {...highlightOn(ids)}
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
        {sum === undefined ? 'Entering' : signedAmount(sum)}
      </span>
      <span className={styles.more}>{isLast ? 'last known' : `${winning} winning`}</span>
    </>
  )
}
