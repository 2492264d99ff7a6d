import { ArrowDown, ArrowUp, ChevronDown, Eye, EyeOff, Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import type { ChartIndicator } from '#contract/trading/chart.ts'
import { CHART_COLOURS, CHART_LIMITS, type ChartColour } from '#contract/trading/chart-terms.ts'
import { INDICATORS, type Indicator, indicatorOf, takesInputs } from '#kernel/indicators/list.ts'
import { Button, Field, Modal, Select } from '#web/ui/index.ts'
import { changeChart } from '../chart/chart-document.ts'
import colours from '../chart/drawing/colours.module.css'
import { freeColours } from '../chart/drawing/palette.ts'
import styles from './indicators-dialog.module.css'

/** The tape has no volume. */
const OFFERED = INDICATORS.filter(({ needsVolume }) => !needsVolume)

interface IndicatorsDialogProps {
  open: boolean
  onClose: () => void
  chosen: readonly ChartIndicator[]
}

/** The indicators on the chart, with their settings and order, and a search for more. */
export default function IndicatorsDialog({ open, onClose, chosen }: IndicatorsDialogProps) {
  const isFull = chosen.length >= CHART_LIMITS.indicators
  const set = (next: readonly ChartIndicator[]) => changeChart({ indicators: [...next] })
  const add = (known: Indicator) => {
    const used = chosen.flatMap(({ colours }) => colours)
    const inputs = known.inputs.map(({ initial }) => initial)
    const colours = freeColours(known.outputs.length, used)
    set([...chosen, { indicator: known.id, inputs, colours, pane: known.place === 'pane' }])
  }
  const move = (from: number, to: number) => {
    const next = [...chosen]
    next.splice(to, 0, ...next.splice(from, 1))
    set(next)
  }
  return (
    <Modal open={open} onClose={onClose} title="Indicators" wide sheet>
      {chosen.length > 0 && (
        <ol className={styles.chosen} aria-label="On the chart">
          {chosen.map((one, at) => (
            <ChosenRow
              // biome-ignore lint/suspicious/noArrayIndexKey: the same indicator may be there twice
              key={`${at} ${one.indicator}`}
              one={one}
              onChange={(next) => set(chosen.map((other, index) => (index === at ? next : other)))}
              onRemove={() => set(chosen.filter((_, index) => index !== at))}
              onUp={at > 0 ? () => move(at, at - 1) : undefined}
              onDown={at < chosen.length - 1 ? () => move(at, at + 1) : undefined}
            />
          ))}
        </ol>
      )}
      <Offer isFull={isFull} onAdd={add} />
    </Modal>
  )
}

/** The indicators whose name or abbreviation contains what is typed. */
function Offer({ isFull, onAdd }: { isFull: boolean; onAdd: (known: Indicator) => void }) {
  const [typed, setTyped] = useState('')
  const words = typed.trim().toLowerCase()
  const found = OFFERED.filter(({ name, short }) => `${name} ${short}`.toLowerCase().includes(words))
  return (
    <>
      <Field
        label="Search indicators"
        type="search"
        autoComplete="off"
        placeholder="RSI, Bollinger, average…"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      {isFull && (
        <p className={styles.note}>A chart has at most {CHART_LIMITS.indicators}. Remove one to add another.</p>
      )}
      <ul className={styles.offer} aria-label="Indicators to add">
        {found.map((known) => (
          <li key={known.id}>
            <button type="button" className={styles.add} disabled={isFull} onClick={() => onAdd(known)}>
              <Plus aria-hidden />
              <span className="visually-hidden">Add </span>
              <span className={styles.name}>{known.name}</span>
              <span className={styles.rule}>{known.rule}</span>
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className={styles.note}>No indicator is called "{typed.trim()}".</p>}
    </>
  )
}

interface ChosenRowProps {
  one: ChartIndicator
  onChange: (next: ChartIndicator) => void
  onRemove: () => void
  onUp: (() => void) | undefined
  onDown: (() => void) | undefined
}

function ChosenRow({ one, onChange, onRemove, onUp, onDown }: ChosenRowProps) {
  const [isOpen, setOpen] = useState(false)
  const known = indicatorOf(one.indicator)
  if (!known) return null
  return (
    <li className={styles.row}>
      <div className={styles.head}>
        <button type="button" className={styles.fold} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <ChevronDown aria-hidden />
          <b>{known.name}</b>
          <span className={styles.inputs}>{one.inputs.join(', ')}</span>
        </button>
        <RowButton name={`Move ${known.name} up`} icon={<ArrowUp aria-hidden />} onClick={onUp} />
        <RowButton name={`Move ${known.name} down`} icon={<ArrowDown aria-hidden />} onClick={onDown} />
        <RowButton
          name={`${one.hidden ? 'Show' : 'Hide'} ${known.name}`}
          icon={one.hidden ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
          onClick={() => onChange({ ...one, hidden: !one.hidden })}
        />
        <RowButton name={`Remove ${known.name}`} icon={<Trash2 aria-hidden />} onClick={onRemove} />
      </div>
      {isOpen && <Settings known={known} one={one} onChange={onChange} />}
    </li>
  )
}

interface SettingsProps {
  known: Indicator
  one: ChartIndicator
  onChange: (next: ChartIndicator) => void
}

function Settings({ known, one, onChange }: SettingsProps) {
  return (
    <div className={styles.settings}>
      {known.inputs.map((input, at) => (
        <NumberInput
          key={input.name}
          input={input}
          value={one.inputs[at] ?? input.initial}
          onChange={(value) => {
            const inputs = known.inputs.map((other, index) =>
              index === at ? value : (one.inputs[index] ?? other.initial),
            )
            if (!takesInputs(known, inputs)) return false
            onChange({ ...one, inputs })
            return true
          }}
        />
      ))}
      {known.outputs.map(({ key, name }, at) => (
        <Colour
          key={key}
          name={known.outputs.length > 1 ? name : 'Colour'}
          value={one.colours[at] ?? 'blue'}
          onChange={(colour) =>
            onChange({ ...one, colours: one.colours.map((other, index) => (index === at ? colour : other)) })
          }
        />
      ))}
      <Select
        label="Place"
        value={one.pane ? 'pane' : 'overlay'}
        onChange={(event) => onChange({ ...one, pane: event.target.value === 'pane' })}
      >
        <option value="overlay">Overlay</option>
        <option value="pane">Own pane</option>
      </Select>
    </div>
  )
}

interface RowButtonProps {
  name: string
  icon: ReactNode
  onClick: (() => void) | undefined
}

const RowButton = ({ name, icon, onClick }: RowButtonProps) => (
  <Button look="quiet" size="small" icon aria-label={name} title={name} disabled={!onClick} onClick={onClick}>
    {icon}
  </Button>
)

interface NumberInputProps {
  input: Indicator['inputs'][number]
  value: number
  /** Returns whether the indicator takes it. */
  onChange: (value: number) => boolean
}

function NumberInput({ input: { name, min, max, step }, value, onChange }: NumberInputProps) {
  const [typed, setTyped] = useState(`${value}`)
  const [isGood, setGood] = useState(true)
  return (
    <Field
      label={name}
      inputMode="decimal"
      autoComplete="off"
      value={typed}
      error={isGood ? undefined : `Takes ${min} to ${max}${step === 1 ? ', whole' : ''}, short before long.`}
      onChange={(event) => {
        setTyped(event.target.value)
        const number = Number(event.target.value.replace(',', '.'))
        setGood(event.target.value.trim() !== '' && onChange(number))
      }}
    />
  )
}

interface ColourProps {
  name: string
  value: ChartColour
  onChange: (colour: ChartColour) => void
}

function Colour({ name, value, onChange }: ColourProps) {
  const id = useId()
  return (
    <fieldset className={styles.colours}>
      <legend>{name}</legend>
      {CHART_COLOURS.map((colour) => (
        <label key={colour} className={styles.colour}>
          <input
            type="radio"
            name={id}
            checked={colour === value}
            onChange={() => onChange(colour)}
            aria-label={colour}
          />
          <span className={colours[colour]} />
        </label>
      ))}
    </fieldset>
  )
}
