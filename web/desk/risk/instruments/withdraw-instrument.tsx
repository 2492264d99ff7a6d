import { type FormEvent, useState } from 'react'
import { LENGTH } from '#contract/fields.ts'
import { Alert, Button, Textarea } from '#web/ui/index.ts'
import { call } from '../../api.ts'
import { useAction } from '../../parts/use-action.ts'
import styles from './instruments.module.css'

/** Proposes to withdraw an instrument that never had a price. */
export function WithdrawInstrument({ symbol, onDone }: { symbol: string; onDone: () => void }) {
  const [typed, setTyped] = useState('')
  const { loading, error, errorOf, act } = useAction()
  const reason = typed.trim()

  async function submit(event: FormEvent) {
    event.preventDefault()
    const done = await act(async () => {
      await call('POST /desk/instruments/withdraw', { body: { symbol, reason } })
      return 'Proposed. Another admin decides.'
    })
    if (done) onDone()
  }

  return (
    <form className={styles.form} noValidate onSubmit={(event) => void submit(event)}>
      <p>It has never had a price, so nothing on the tape refers to it. Once withdrawn, it can be added again.</p>
      <Alert>{error}</Alert>
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
        <Button type="submit" look="danger" loading={loading} disabled={reason === ''}>
          Propose to withdraw
        </Button>
      </div>
    </form>
  )
}
