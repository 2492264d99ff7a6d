import { useState } from 'react'
import * as z from 'zod/mini'
import { LENGTH, text } from '#contract/fields.ts'
import { COINS, type Coin } from '#contract/terms.ts'
import { Alert, Button, Choices, Field, formatUsd, Modal, useRules } from '#web/ui/index.ts'
import { call } from '../../api.ts'
import { useAction } from '../../parts/use-action.ts'
import styles from '../../users/user-page.module.css'
import { typedCoins } from './typed-coins.ts'

const Rules = z.object({
  transaction_id: text(LENGTH.bank),
  address: text(LENGTH.wallet),
  coin_amount: typedCoins,
  arrived_at: text(32),
})
const NOTHING = { transaction_id: '', address: '', coin_amount: '', arrived_at: '' }

/** Records coins that an operator found at an address and that no trader has requested. */
export function RecordCoins() {
  const [open, setOpen] = useState(false)
  return (
    <div className={styles.links}>
      <Button look="secondary" size="small" onClick={() => setOpen(true)}>
        Record coins without a request
      </Button>
      <Modal open={open} onClose={() => setOpen(false)} title="Coins without a request">
        <RecordForm onDone={() => setOpen(false)} />
      </Modal>
    </div>
  )
}

function RecordForm({ onDone }: { onDone: () => void }) {
  const [currency, setCurrency] = useState<Coin>(COINS[0])
  const { field, submit, refuse } = useRules(Rules, NOTHING)
  const { loading, error, act } = useAction(refuse)
  const record = submit(async ({ arrived_at, ...found }) => {
    const done = await act(async () => {
      const body = { currency, ...found, arrived_at: new Date(arrived_at).toISOString() }
      const { data } = await call('POST /desk/unknown-deposits', { body })
      return `Recorded. Worth ${formatUsd(data.amount)} when it arrived.`
    })
    if (done) onDone()
  })
  return (
    <form className={styles.form} noValidate onSubmit={record}>
      <Alert>{error}</Alert>
      <Choices
        label="Coin"
        value={currency}
        onChange={setCurrency}
        options={COINS.map((value) => ({ value, label: value }))}
      />
      <Field
        label="Transaction ID"
        hint="From the wallet or a block explorer."
        autoComplete="off"
        {...field('transaction_id')}
      />
      <Field label="Arrived at address" autoComplete="off" {...field('address')} />
      <Field label="Coins received" inputMode="decimal" autoComplete="off" {...field('coin_amount')} />
      <Field label="Arrived at" hint="In your time zone." type="datetime-local" step={1} {...field('arrived_at')} />
      <Button type="submit" loading={loading}>
        Record
      </Button>
    </form>
  )
}
