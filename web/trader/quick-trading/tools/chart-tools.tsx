import {
  BellPlus,
  Camera,
  CandlestickChart,
  ChartArea,
  ChartLine,
  ChartNoAxesColumn,
  ChevronDown,
  LayoutTemplate,
  Maximize,
  Minimize,
  Pencil,
  SquareFunction,
} from 'lucide-react'
import { lazy, type ReactNode, useState } from 'react'
import type { CandleInterval } from '#contract/prices/prices.ts'
import { CANDLE_INTERVALS } from '#contract/terms.ts'
import type { ChartDocument } from '#contract/trading/chart.ts'
import type { ChartKind } from '#contract/trading/chart-terms.ts'
import { Button, Checkbox, Choices, cx, Loaded, Popover } from '#web/ui/index.ts'
import type { useChartChoice } from '../market/use-chart-choice.ts'
import styles from './chart-tools.module.css'

const IndicatorsDialog = lazy(() => import('./indicators-dialog.tsx'))
const LayoutsDialog = lazy(() => import('./layouts-dialog.tsx'))
const NewAlert = lazy(() => import('../alerts/new-alert.tsx'))

const INTERVAL_NAMES: Record<CandleInterval, string> = {
  '1s': '1 second',
  '5s': '5 seconds',
  '1m': '1 minute',
  '5m': '5 minutes',
  '15m': '15 minutes',
  '1h': '1 hour',
  '4h': '4 hours',
  '1d': '1 day',
}
const INTERVAL_OPTIONS = (Object.keys(CANDLE_INTERVALS) as CandleInterval[]).map((value) => ({
  value,
  label: value,
  name: INTERVAL_NAMES[value],
}))
const KIND_NAMES: Record<ChartKind, string> = {
  candles: 'Candles',
  hollow: 'Hollow candles',
  bars: 'Bars',
  line: 'Line',
  area: 'Area',
  heikin: 'Heikin Ashi',
}
const KINDS = Object.keys(KIND_NAMES) as ChartKind[]

function KindIcon({ kind }: { kind: ChartKind }) {
  if (kind === 'line') return <ChartLine aria-hidden />
  if (kind === 'area') return <ChartArea aria-hidden />
  if (kind === 'bars') return <ChartNoAxesColumn aria-hidden />
  return <CandlestickChart aria-hidden />
}

type Choice = ReturnType<typeof useChartChoice>

interface ChartToolsProps {
  choice: Choice
  symbol: string
  /** How many alerts are on the chart. */
  alerts: number
  /** Undefined until it's known. */
  document: ChartDocument | undefined
  isDrawing: boolean
  onDraw: () => void
  onPicture: () => void
  isFull: boolean
  onFull: () => void
}

/** The chart's interval and kind, and what is on it. */
export function ChartTools({ choice, symbol, alerts, document, isDrawing, onDraw, ...whole }: ChartToolsProps) {
  const [open, setOpen] = useState<'indicators' | 'layouts' | 'alert'>()
  const count = document?.indicators?.length ?? 0
  const close = () => setOpen(undefined)
  return (
    <div className={styles.tools}>
      <Intervals {...choice} />
      <span className={styles.border} aria-hidden />
      <Kinds {...choice} />
      <Tool
        word="Indicators"
        icon={<SquareFunction aria-hidden />}
        count={count}
        disabled={!document}
        onClick={() => setOpen('indicators')}
      />
      <Tool word="Draw" icon={<Pencil aria-hidden />} isPressed={isDrawing} disabled={!document} onClick={onDraw} />
      <Tool
        word="Layouts"
        icon={<LayoutTemplate aria-hidden />}
        disabled={!document}
        onClick={() => setOpen('layouts')}
      />
      <Tool word="Alert" icon={<BellPlus aria-hidden />} count={alerts} onClick={() => setOpen('alert')} />
      <span className={styles.space} />
      <Whole {...whole} />
      <Loaded when={open === 'indicators'}>
        <IndicatorsDialog open={open === 'indicators'} onClose={close} chosen={document?.indicators ?? []} />
      </Loaded>
      <Loaded when={open === 'layouts'}>
        <LayoutsDialog open={open === 'layouts'} onClose={close} choice={choice} document={document ?? {}} />
      </Loaded>
      <Loaded when={open === 'alert'}>
        <NewAlert open={open === 'alert'} onClose={close} symbol={symbol} />
      </Loaded>
    </div>
  )
}

/** What is done with the whole chart. */
const Whole = ({ onPicture, isFull, onFull }: Pick<ChartToolsProps, 'onPicture' | 'isFull' | 'onFull'>) => (
  <>
    <Tool word="Share a picture" icon={<Camera aria-hidden />} isIconOnly onClick={onPicture} />
    <Tool
      word={isFull ? 'Leave full screen' : 'Full screen'}
      icon={isFull ? <Minimize aria-hidden /> : <Maximize aria-hidden />}
      isIconOnly
      onClick={onFull}
    />
  </>
)

interface ToolProps {
  word: string
  icon: ReactNode
  count?: number
  isIconOnly?: boolean
  isPressed?: boolean
  disabled?: boolean
  onClick: () => void
}

/** A button of the toolbar: an icon, and its word where there is room. */
function Tool({ word, icon, count = 0, isIconOnly, isPressed, disabled, onClick }: ToolProps) {
  return (
    <Button
      look="quiet"
      size="small"
      className={cx(styles.tool, isPressed && styles.pressed)}
      aria-label={count > 0 ? `${word}, ${count} in use` : word}
      aria-pressed={isPressed}
      title={word}
      disabled={disabled}
      onClick={onClick}
    >
      {icon}
      {!isIconOnly && (
        <span className={styles.word} aria-hidden>
          {word}
        </span>
      )}
      {count > 0 && (
        <span className={styles.count} aria-hidden>
          {count}
        </span>
      )}
    </Button>
  )
}

/** All intervals in a row, or the current one as a menu where they don't fit. */
function Intervals({ interval, choose }: Choice) {
  const [isOpen, setOpen] = useState(false)
  const choices = (
    <Choices
      label="Candle interval"
      quiet
      className={styles.intervals}
      value={interval}
      onChange={(value) => {
        choose({ interval: value })
        setOpen(false)
      }}
      options={INTERVAL_OPTIONS}
    />
  )
  return (
    <>
      <div className={styles.row}>{choices}</div>
      <div className={styles.menu}>
        <Popover
          title="Candle interval"
          className={styles.panel}
          buttonClass={styles.menuButton}
          open={isOpen}
          onOpenChange={setOpen}
          button={
            <>
              <span className="visually-hidden">Candle interval: </span>
              {interval}
              <ChevronDown aria-hidden />
            </>
          }
        >
          {choices}
        </Popover>
      </div>
    </>
  )
}

function Kinds({ kind, log, choose }: Choice) {
  return (
    <Popover
      title="Chart type"
      className={styles.panel}
      buttonClass={styles.menuButton}
      button={
        <>
          <KindIcon kind={kind} />
          <span className="visually-hidden">Chart type: {KIND_NAMES[kind]}</span>
          <span className={styles.kindWord} aria-hidden>
            {KIND_NAMES[kind]}
          </span>
        </>
      }
    >
      <fieldset className={styles.kinds}>
        <legend className="visually-hidden">Chart type</legend>
        {KINDS.map((value) => (
          <label key={value} className={styles.kind}>
            <input type="radio" name="chart-kind" checked={kind === value} onChange={() => choose({ kind: value })} />
            <KindIcon kind={value} />
            {KIND_NAMES[value]}
          </label>
        ))}
      </fieldset>
      <Checkbox checked={log} onChange={(event) => choose({ log: event.target.checked })}>
        Logarithmic price axis
      </Checkbox>
    </Popover>
  )
}
