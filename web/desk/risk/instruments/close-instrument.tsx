import { type FormEvent, useState } from 'react'
import { CLOSED_REASON_LENGTH } from '#contract/desk/markets/instrument-changes.ts'
import type { DeskInstrument } from '#contract/desk/markets/instruments.ts'
import { LENGTH } from '#contract/fields.ts'
import { Alert, Button, Textarea } from '#web/ui/index.ts'
import { call } from '../../api.ts'
import { useAction } from '../../parts/use-action.ts'
import styles from './instruments.module.css'

/** Proposes to close an open instrument, or to reopen a closed one. */
export function CloseInstrument({ row, onDone }: { row: DeskInstrument; onDone: () => void }) {
  const { symbol } = row
  const closes = row.closed_reason === null
  const [shown, setShown] = useState('')
  const [typed, setTyped] = useState('')
  const { loading, error, errorOf, act } = useAction()
  const reason = typed.trim()
  const closed_reason = shown.trim()

  async function submit(event: FormEvent) {
    event.preventDefault()
    const done = await act(async () => {
      if (closes) await call('POST /desk/instruments/close', { body: { symbol, closed_reason, reason } })
      else await call('POST /desk/instruments/reopen', { body: { symbol, reason } })
      return 'Proposed. Another admin decides.'
    })
    if (done) onDone()
  }

  return (
    <form className={styles.form} noValidate onSubmit={(event) => void submit(event)}>
      <Alert>{error}</Alert>
      {closes && (
        <Textarea
          label="What traders see"
          error={errorOf('message')}
          hint="Why it is closed. New trades are refused with this text."
          rows={2}
          maxLength={CLOSED_REASON_LENGTH}
          value={shown}
          onChange={(event) => setShown(event.target.value)}
        />
      )}
      <Textarea
        label="Reason"
        error={errorOf('reason')}
        hint="The admin who decides sees this."
        rows={2}
        maxLength={LENGTH.reason}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <div>
        <Button
          type="submit"
          look={closes ? 'danger' : 'primary'}
          loading={loading}
          disabled={reason === '' || (closes && closed_reason === '')}
        >
          {closes ? 'Propose to close' : 'Propose to reopen'}
        </Button>
      </div>
    </form>
  )
}
