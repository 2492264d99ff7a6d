import { Copy, Magnet, Minus, MousePointer2, MoveUpRight, Square, Trash2, TrendingUp, Undo2, X } from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import type { Drawing } from '#contract/trading/chart.ts'
import { CHART_COLOURS, CHART_LIMITS, type ChartColour, type DrawingKind } from '#contract/trading/chart-terms.ts'
import { Button, cx } from '#web/ui/index.ts'
import { changeChart } from '../chart/chart-document.ts'
import colours from '../chart/drawing/colours.module.css'
import type { DrawnChart } from '../chart/drawing/draw-chart.ts'
import { useLayer } from '../chart/use-layer.ts'
import { type DrawingEvents, DrawingLayer } from './draw-drawings.ts'
import { DRAWING_NAMES, freeId, moved } from './drawing.ts'
import styles from './drawings.module.css'

const TOOLS: readonly { kind: DrawingKind; icon: ReactNode }[] = [
  { kind: 'trend', icon: <TrendingUp aria-hidden /> },
  { kind: 'ray', icon: <MoveUpRight aria-hidden /> },
  { kind: 'horizontal', icon: <Minus aria-hidden /> },
  { kind: 'vertical', icon: <Minus aria-hidden className={styles.upright} /> },
  { kind: 'rectangle', icon: <Square aria-hidden /> },
  { kind: 'fibonacci', icon: <Levels /> },
]

/** The levels of a retracement. */
function Levels() {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" aria-hidden>
      <path d="M4 5h16M4 10h16M4 14h16M4 19h16" />
    </svg>
  )
}

interface DrawingsProps {
  chart: RefObject<DrawnChart | undefined>
  symbol: string
  drawings: readonly Drawing[]
  /** The tools are shown. */
  isOpen: boolean
  onClose: () => void
  /** Where the tools are. */
  slot: HTMLElement | null
}

/** Drawings on the chart of a symbol, with their tools. */
export default function Drawings({ chart, symbol, drawings, isOpen, onClose, slot }: DrawingsProps) {
  const edit = useEdit(symbol, drawings)
  const { tool, selected } = edit
  const layer = useDrawingLayer(chart, drawings, edit)
  useDrawingKeys(tool !== undefined || selected !== undefined, edit, layer)
  if (!slot || (!isOpen && !selected)) return null
  return createPortal(
    <div className={styles.rail} role="toolbar" aria-label="Drawings" data-drawing={tool || selected ? '' : undefined}>
      <Tools edit={edit} drawings={drawings} onClose={onClose} />
      <p className="visually-hidden" role="status">
        {edit.words}
      </p>
    </div>,
    slot,
  )
}

/** Where a key is for the drawing: the candles, their tools, or nothing in particular. */
const OF_DRAWING = 'body, [role="application"], [role="toolbar"] *'

/** Handles the keys while something is drawn or selected, before anything else does. */
function useDrawingKeys(isActive: boolean, edit: Edit, layer: RefObject<DrawingLayer | undefined>): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const focus = document.activeElement ?? document.body
    if (!focus.matches(OF_DRAWING) || document.querySelector('dialog[open], [popover]:popover-open')) return
    // Enter on a tool is for the tool.
    if (event.key === 'Enter' && focus instanceof HTMLButtonElement) return
    if (!isHandled(event)) return
    event.preventDefault()
    event.stopPropagation()
  })
  const isHandled = (event: KeyboardEvent): boolean => {
    const isCommand = event.ctrlKey || event.metaKey
    const { key } = event
    if (isCommand && key === 'z') edit.undo?.()
    else if (isCommand && key === 'd') edit.copy()
    else if (key === 'Delete' || key === 'Backspace') edit.remove()
    else return !isCommand && !event.altKey && layer.current?.key(key, event.shiftKey) === true
    return true
  }
  useEffect(() => {
    if (!isActive) return
    const listener = (event: KeyboardEvent) => onKey(event)
    document.addEventListener('keydown', listener, { capture: true })
    return () => document.removeEventListener('keydown', listener, { capture: true })
  }, [isActive])
}

type Edit = ReturnType<typeof useEdit>

function Tools({ edit, drawings, onClose }: { edit: Edit; drawings: readonly Drawing[]; onClose: () => void }) {
  const { tool, selected } = edit
  const isFull = drawings.length >= CHART_LIMITS.drawings
  return (
    <>
      <RailButton
        name={drawings.length > 0 ? 'Select the next drawing' : 'Select'}
        icon={<MousePointer2 aria-hidden />}
        isPressed={tool === undefined}
        onClick={edit.selectNext}
      />
      {TOOLS.map(({ kind, icon }) => (
        <RailButton
          key={kind}
          name={DRAWING_NAMES[kind]}
          icon={icon}
          isPressed={tool === kind}
          onClick={isFull ? undefined : () => edit.setTool(tool === kind ? undefined : kind)}
        />
      ))}
      <RailButton
        name="Snap to open, high, low and close"
        icon={<Magnet aria-hidden />}
        isPressed={edit.isSnapping}
        onClick={() => edit.setSnapping(!edit.isSnapping)}
      />
      <RailButton name="Undo" icon={<Undo2 aria-hidden />} onClick={edit.undo} />
      {selected && (
        <>
          <RailButton
            name={`Colour of the drawing: ${selected.colour}`}
            icon={<span className={cx(styles.dot, colours[selected.colour])} />}
            onClick={edit.nextColour}
          />
          <RailButton name="Copy the drawing" icon={<Copy aria-hidden />} onClick={isFull ? undefined : edit.copy} />
          <RailButton name="Delete the drawing" icon={<Trash2 aria-hidden />} onClick={edit.remove} />
        </>
      )}
      <RailButton
        name="Close the drawing tools"
        icon={<X aria-hidden />}
        onClick={() => {
          edit.setTool(undefined)
          edit.select(undefined)
          onClose()
        }}
      />
    </>
  )
}

interface RailButtonProps {
  name: string
  icon: ReactNode
  isPressed?: boolean
  onClick: (() => void) | undefined
}

const RailButton = ({ name, icon, isPressed, onClick }: RailButtonProps) => (
  <Button
    look="quiet"
    icon
    className={cx(styles.button, isPressed && styles.pressed)}
    aria-label={name}
    aria-pressed={isPressed}
    title={name}
    disabled={!onClick}
    onClick={onClick}
  >
    {icon}
  </Button>
)

/** How many steps can be undone. */
const UNDO_MAX = 50

/** The selected tool and drawing, and what changes the drawings. */
function useEdit(symbol: string, drawings: readonly Drawing[]) {
  const [tool, setTool] = useState<DrawingKind>()
  const [selectedId, select] = useState<string>()
  const [isSnapping, setSnapping] = useState(true)
  const [colour, setColour] = useState<ChartColour>('blue')
  const { change, undo } = useSteps(symbol, drawings)
  const selected = drawings.find(({ id }) => id === selectedId)
  const replace = (one: Drawing) => change(drawings.map((other) => (other.id === one.id ? one : other)))
  return {
    tool,
    setTool: (kind: DrawingKind | undefined) => {
      setTool(kind)
      select(undefined)
    },
    selected,
    select,
    colour,
    isSnapping,
    setSnapping,
    /** Keeps a drawing: a changed one, or a new one, which is selected then. */
    onDrawn: (one: Drawing) => {
      if (drawings.some(({ id }) => id === one.id)) return replace(one)
      change([...drawings, one])
      setTool(undefined)
      select(one.id)
    },
    selectNext: () => {
      const at = drawings.findIndex(({ id }) => id === selectedId)
      setTool(undefined)
      select(drawings[(at + 1) % drawings.length]?.id)
    },
    nextColour: () => {
      if (!selected) return
      const next = colourAfter(selected.colour)
      setColour(next)
      replace({ ...selected, colour: next })
    },
    copy: () => {
      if (!selected || drawings.length >= CHART_LIMITS.drawings) return
      const [first] = selected.points
      const copied = moved({ ...selected, id: freeId(drawings) }, 'body', {
        time: 0,
        price: (first?.price ?? 0) * 0.0005,
      })
      change([...drawings, copied])
      select(copied.id)
    },
    remove: () => {
      if (selected) change(drawings.filter(({ id }) => id !== selectedId))
      select(undefined)
    },
    undo:
      undo &&
      (() => {
        undo()
        select(undefined)
      }),
    words: wordsOf(tool, selected, drawings.length),
  }
}

const colourAfter = (colour: ChartColour): ChartColour =>
  CHART_COLOURS[(CHART_COLOURS.indexOf(colour) + 1) % CHART_COLOURS.length] ?? 'blue'

/** Keeps the drawings of a symbol, and what they were before each step. */
function useSteps(symbol: string, drawings: readonly Drawing[]) {
  const [past, setPast] = useState<readonly (readonly Drawing[])[]>([])
  const keep = (next: readonly Drawing[]) => changeChart({ drawings: { [symbol]: [...next] } })
  const last = past.at(-1)
  return {
    change: (next: readonly Drawing[]) => {
      setPast([...past.slice(1 - UNDO_MAX), drawings])
      keep(next)
    },
    undo:
      last &&
      (() => {
        keep(last)
        setPast(past.slice(0, -1))
      }),
  }
}

/** What a screen reader hears. */
function wordsOf(tool: DrawingKind | undefined, selected: Drawing | undefined, count: number): string {
  if (tool) return `${DRAWING_NAMES[tool]}: on the candles, arrow keys move and Enter sets a point.`
  if (!selected) return `${count} drawings`
  return `${DRAWING_NAMES[selected.kind]} selected. On the candles, arrow keys move it and Delete removes it.`
}

/** Shows the drawings on the chart, and lets the pointer make and move them. */
function useDrawingLayer(chart: RefObject<DrawnChart | undefined>, drawings: readonly Drawing[], edit: Edit) {
  const { tool, selected, colour, isSnapping } = edit
  const latest = useRef<DrawingEvents>({ onSelect: () => {}, onDrawn: () => {} })
  useEffect(() => {
    latest.current = {
      onSelect: (id) => {
        if (id === undefined) edit.setTool(undefined)
        else edit.select(id)
      },
      onDrawn: edit.onDrawn,
    }
  })
  const selectedId = selected?.id
  const state = useMemo(
    () => ({ drawings, selectedId, tool, colour, isSnapping }),
    [drawings, selectedId, tool, colour, isSnapping],
  )
  return useLayer<DrawingLayer, typeof state>(
    chart,
    true,
    async () => {
      const events: DrawingEvents = {
        onSelect: (id) => latest.current.onSelect(id),
        onDrawn: (one) => latest.current.onDrawn(one),
      }
      return (to) => to.add((api, prices, look) => new DrawingLayer(api, prices, look, to.box, events))
    },
    state,
    (layer, next) => layer.set(next),
  )
}
