import { type FormEvent, useState } from 'react'
import type { DeskInstrument } from '#contract/desk/markets/instruments.ts'
import { LENGTH } from '#contract/fields.ts'
import { Alert, Button, Textarea } from '#web/ui/index.ts'
import { call } from '../../api.ts'
import { useAction } from '../../parts/use-action.ts'
import { useLater } from '../../parts/use-later.ts'
import { InstrumentPreview } from './instrument-preview.tsx'
import { asBody, TermsFields, termsAsText, termsOf, typedOf } from './instrument-terms.tsx'
import styles from './instruments.module.css'

/** Proposes new terms of an instrument, and shows the price that it would have now. */
export function ChangeTerms({ row, onDone }: { row: DeskInstrument; onDone: () => void }) {
  const { symbol, base, quote, scale } = row
  const [typed, setTyped] = useState(() => typedOf(row))
  const [why, setWhy] = useState('')
  const { loading, error, errorOf, act } = useAction()
  const terms = termsOf(typed)
  const asked = useLater(JSON.stringify(terms), 400)
  const reason = why.trim()
  const isSame = JSON.stringify(termsAsText(terms)) === JSON.stringify(termsAsText(row))

  async function submit(event: FormEvent) {
    event.preventDefault()
    const done = await act(async () => {
      await call('POST /desk/instruments/change', { body: { symbol, ...asBody(terms), reason } })
      return 'Proposed. Another admin decides.'
    })
    if (done) onDone()
  }

  return (
    <form className={styles.form} noValidate onSubmit={(event) => void submit(event)}>
      <Alert>{error}</Alert>
      <div className={styles.fields}>
        <TermsFields typed={typed} onType={setTyped} errorOf={errorOf} />
      </div>
      <p className={styles.hint}>
        The {scale} decimal places are fixed, because prices on the tape use them. Set a tight spread and all the depth
        that its books have: a price of a wide, thin book is cheap to move.
      </p>
      <InstrumentPreview terms={{ base, quote, scale, ...(JSON.parse(asked) as typeof terms) }} exists />
      <Textarea
        label="Reason"
        error={errorOf('reason')}
        hint="The admin who decides sees this."
        rows={2}
        maxLength={LENGTH.reason}
        value={why}
        onChange={(event) => setWhy(event.target.value)}
      />
      <div>
        <Button type="submit" loading={loading} disabled={reason === '' || isSame}>
          Propose these terms
        </Button>
      </div>
    </form>
  )
}
