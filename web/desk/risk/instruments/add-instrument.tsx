import { type FormEvent, useState } from 'react'
import { LENGTH } from '#contract/fields.ts'
import { TRADING_TYPES, type TradingType } from '#contract/terms.ts'
import { Alert, Button, decimalOf, Field, readDecimal, Select, Textarea } from '#web/ui/index.ts'
import { call } from '../../api.ts'
import { useAction } from '../../parts/use-action.ts'
import { useLater } from '../../parts/use-later.ts'
import { InstrumentPreview } from './instrument-preview.tsx'
import { asBody, DEFAULT_TYPED, TermsFields, termsOf } from './instrument-terms.tsx'
import styles from './instruments.module.css'

const EMPTY = { base: '', quote: '', scale: '4', reason: '' }

/** Proposes an instrument, and shows the price that it would have now. */
export function AddInstrument({ onDone }: { onDone: () => void }) {
  const [typed, setTyped] = useState(EMPTY)
  const [typedTerms, setTypedTerms] = useState(DEFAULT_TYPED)
  const [tradingType, setTradingType] = useState<TradingType>('Cryptocurrency')
  const { loading, error, errorOf, act } = useAction()
  const terms = termsOf(typedTerms)
  const pair = {
    base: typed.base.trim().toUpperCase(),
    quote: typed.quote.trim().toUpperCase(),
    scale: decimalOf(typed.scale, 0),
  }
  const asked = useLater(JSON.stringify({ ...pair, ...terms }), 400)
  const reason = typed.reason.trim()
  const field = (name: keyof typeof EMPTY) => ({
    value: typed[name],
    autoComplete: 'off',
    error: errorOf(name),
    onChange: (event: { target: { value: string } }) => setTyped({ ...typed, [name]: event.target.value }),
  })

  async function submit(event: FormEvent) {
    event.preventDefault()
    const done = await act(async () => {
      await call('POST /desk/instruments', { body: { ...pair, ...asBody(terms), trading_type: tradingType, reason } })
      return 'Proposed. Another admin decides.'
    })
    if (done) onDone()
  }

  return (
    <form className={styles.form} noValidate onSubmit={(event) => void submit(event)}>
      <Alert>{error}</Alert>
      <div className={styles.fields}>
        <Field label="Base" placeholder="LTC" maxLength={18} autoFocus {...field('base')} />
        <Field label="Quote" placeholder="ETH" maxLength={18} {...field('quote')} />
        <Select
          label="Trading type"
          value={tradingType}
          onChange={(event) => setTradingType(event.target.value as TradingType)}
        >
          {TRADING_TYPES.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </Select>
        <Field
          label="Decimal places"
          inputMode="numeric"
          hint="Fixed once it has a price."
          {...field('scale')}
          error={readDecimal(typed.scale, 0).problem ?? errorOf('scale')}
        />
        <TermsFields typed={typedTerms} onType={setTypedTerms} errorOf={errorOf} />
      </div>
      <InstrumentPreview terms={JSON.parse(asked) as typeof pair & typeof terms} />
      <Textarea
        label="Reason"
        hint="The admin who decides sees this."
        rows={2}
        maxLength={LENGTH.reason}
        {...field('reason')}
      />
      <div>
        <Button type="submit" loading={loading} disabled={reason === '' || pair.base === '' || pair.quote === ''}>
          Propose the instrument
        </Button>
      </div>
    </form>
  )
}
