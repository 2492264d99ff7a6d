import * as z from 'zod/mini'
import { call, useKey } from '#web/api/index.ts'
import { Alert, Button, DEPOSIT_MIN_USD, Field, typedUsd, useRules, withAmount } from '#web/ui/index.ts'
import styles from './deposit.module.css'
import { EmailFirst } from './email-first.tsx'
import { useDepositRequest } from './use-deposit-request.ts'

const Rules = z.object({ amount: typedUsd(DEPOSIT_MIN_USD) })

/** The amount only; the provider's own page asks for the card. */
export function CardForm() {
  const { field, submit, watch, refuse } = useRules(Rules, { amount: '' })
  const { loading, error, run } = useDepositRequest(refuse)
  const keyFor = useKey()

  const pay = submit(({ amount }) =>
    run(async () => {
      const body = { amount: Number(amount) }
      const { data } = await call('POST /deposit/card', { body, key: keyFor(body) })
      window.location.assign(data.url)
      // The page is being left. The button stays busy until then, or until the trader comes back.
      await new Promise((resolve) => window.addEventListener('pageshow', resolve, { once: true }))
    }),
  )

  return (
    <form className={styles.form} noValidate onSubmit={pay}>
      <EmailFirst />
      <Alert>{error}</Alert>
      <Field
        label="Amount"
        unit="$"
        inputMode="decimal"
        autoComplete="off"
        placeholder="0.00"
        hint="In US dollars. You enter your card details on the provider’s page; we never see them."
        autoFocus
        {...field('amount')}
      />
      <Button type="submit" size="large" wide loading={loading}>
        {withAmount('Pay', watch('amount'), ' by card')}
      </Button>
    </form>
  )
}
