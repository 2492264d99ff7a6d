import { type FormEvent, useEffect, useRef, useState } from 'react'
import { SIGNAL_DURATIONS } from '#contract/terms.ts'
import { OWN_STRATEGIES } from '#contract/trading/own-strategies.ts'
import { call, queryClient, useRequest } from '#web/api/index.ts'
import { Alert, Button, Card, Field, formatDuration, Select } from '#web/ui/index.ts'
import { nameErrors } from '../draft.ts'
import { Symbols } from '../symbols.tsx'
import styles from './signals.module.css'

interface OutsideProps {
  onCancel: () => void
  onSaved: (id: string) => void
}

/** The form of a strategy whose signals come from outside. */
export function Outside({ onCancel, onSaved }: OutsideProps) {
  const [draft, setDraft] = useState({ name: '', duration: 300, symbols: ['BTCUSDT'] })
  const [attempt, setAttempt] = useState(0)
  const { loading, error, errorOf, run } = useRequest()
  const form = useRef<HTMLFormElement>(null)
  // Once the errors of an attempt are shown.
  useEffect(() => {
    if (attempt > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [attempt])
  const change = (part: Partial<typeof draft>) => setDraft((now) => ({ ...now, ...part }))
  const wrongName = nameErrors(draft).name
  const wrongSymbols = draft.symbols.length === 0 ? 'Choose at least one symbol.' : undefined
  const save = (event: FormEvent) => {
    event.preventDefault()
    setAttempt(attempt + 1)
    if (wrongName || wrongSymbols) return
    void run(async () => {
      const { data } = await call('POST /strategies/webhook', { body: { ...draft, name: draft.name.trim() } })
      await queryClient.invalidateQueries({ queryKey: ['GET /strategies'] })
      onSaved(data.id)
    })
  }
  return (
    <form ref={form} className={styles.form} noValidate aria-label="Signals from outside" onSubmit={save}>
      <Card>
        <div className={styles.fields}>
          <Field
            label="Name"
            autoComplete="off"
            maxLength={OWN_STRATEGIES.name}
            value={draft.name}
            error={(attempt > 0 ? wrongName : undefined) ?? errorOf('name')}
            hint="Only you see it."
            onChange={(event) => change({ name: event.target.value })}
          />
          <Select
            label="Duration"
            value={draft.duration}
            hint="Of each trade, from the signal on."
            onChange={(event) => change({ duration: Number(event.target.value) })}
          >
            {SIGNAL_DURATIONS.map((seconds) => (
              <option key={seconds} value={seconds}>
                {formatDuration(seconds)}
              </option>
            ))}
          </Select>
        </div>
        <Symbols
          chosen={draft.symbols}
          error={attempt > 0 ? wrongSymbols : undefined}
          onChange={(symbols) => change({ symbols })}
        />
      </Card>
      <Alert>{error}</Alert>
      <div className={styles.buttons}>
        <Button type="submit" size="large" loading={loading}>
          Save strategy
        </Button>
        <Button look="secondary" size="large" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
