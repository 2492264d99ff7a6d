import { Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { ChartDocument, ChartLayout } from '#contract/trading/chart.ts'
import { CHART_LIMITS } from '#contract/trading/chart-terms.ts'
import { indicatorOf } from '#kernel/indicators/list.ts'
import { Button, Field, Modal } from '#web/ui/index.ts'
import { changeChart } from '../chart/chart-document.ts'
import type { useChartChoice } from '../market/use-chart-choice.ts'
import styles from './layouts-dialog.module.css'

interface LayoutsDialogProps {
  open: boolean
  onClose: () => void
  choice: ReturnType<typeof useChartChoice>
  document: ChartDocument
}

/** Named layouts: interval, type and indicators, to come back to. */
export default function LayoutsDialog({ open, onClose, choice, document }: LayoutsDialogProps) {
  const layouts = document.layouts ?? []
  const use = ({ interval, kind, log, indicators }: ChartLayout) => {
    choice.choose({ interval, kind, log })
    changeChart({ indicators })
    onClose()
  }
  const save = (name: string) => {
    const { interval, kind, log } = choice
    const layout = { name, interval, kind, log, indicators: document.indicators ?? [] }
    changeChart({ layouts: [...layouts.filter((other) => other.name !== name), layout] })
  }
  return (
    <Modal open={open} onClose={onClose} title="Layouts" sheet>
      {layouts.length === 0 && <p className={styles.note}>A layout keeps interval, chart type and indicators.</p>}
      <ul className={styles.list} aria-label="Layouts">
        {layouts.map((layout) => (
          <li key={layout.name} className={styles.row}>
            <button type="button" className={styles.use} onClick={() => use(layout)}>
              <span className="visually-hidden">Use </span>
              <b>{layout.name}</b>
              <span className={styles.what}>{whatOf(layout)}</span>
            </button>
            <Button
              look="quiet"
              size="small"
              icon
              aria-label={`Delete ${layout.name}`}
              onClick={() => changeChart({ layouts: layouts.filter((other) => other.name !== layout.name) })}
            >
              <Trash2 aria-hidden />
            </Button>
          </li>
        ))}
      </ul>
      <SaveForm isFull={layouts.length >= CHART_LIMITS.layouts} names={layouts.map(({ name }) => name)} onSave={save} />
    </Modal>
  )
}

const whatOf = ({ interval, indicators }: ChartLayout): string =>
  [interval, ...indicators.map(({ indicator }) => indicatorOf(indicator)?.short ?? indicator)].join(' · ')

interface SaveFormProps {
  isFull: boolean
  names: readonly string[]
  onSave: (name: string) => void
}

function SaveForm({ isFull, names, onSave }: SaveFormProps) {
  const [name, setName] = useState('')
  const trimmed = name.trim()
  const isNew = !names.includes(trimmed)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (trimmed === '' || (isFull && isNew)) return
    onSave(trimmed)
    setName('')
  }
  return (
    <form className={styles.save} onSubmit={onSubmit}>
      <Field
        label="Save the current chart as"
        maxLength={CHART_LIMITS.name}
        autoComplete="off"
        value={name}
        error={
          isFull && isNew && trimmed !== '' ? `You have ${CHART_LIMITS.layouts} layouts. Delete one first.` : undefined
        }
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit" disabled={trimmed === ''}>
        {isNew ? 'Save' : 'Replace'}
      </Button>
    </form>
  )
}
