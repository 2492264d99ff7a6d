import { useState } from 'react'
import * as z from 'zod/mini'
import { LENGTH, text } from '#contract/fields.ts'
import type { Mode } from '#contract/terms.ts'
import { must } from '#kernel/must.ts'
import { Alert, Button, Choices, dollarsOf, Field, readUsd, useRules, withAmount } from '#web/ui/index.ts'
import { send } from '../api.ts'
import { useAction } from '../parts/use-action.ts'
import styles from './user-page.module.css'

/** The amount without its sign. */
const unsigned = (typed: string) => typed.trim().replace(/^[+−-]/, '')
const isDebit = (typed: string) => /^[−-]/.test(typed.trim())

/** Checks the amount without its sign, and keeps the text: the sign says which way the money goes. */
const signedUsd = text(20).check(({ value, issues }) => {
  const { amount, problem = 'must be more than 0' } = readUsd(unsigned(value))
  if (amount === undefined || amount === 0n) issues.push({ code: 'custom', message: problem, input: value })
})
const Rules = z.object({
  amount: signedUsd,
  reason: text(LENGTH.reason),
})

/** Proposes to credit or debit a balance; a second finance operator decides on the adjustments page. */
export function UserAdjust({ userId }: { userId: string }) {
  const [open, setOpen] = useState(false)
  return open ? (
    <AdjustForm userId={userId} onClose={() => setOpen(false)} />
  ) : (
    <div className={styles.form}>
      <div>
        <Button look="secondary" size="small" onClick={() => setOpen(true)}>
          Propose an adjustment
        </Button>
      </div>
    </div>
  )
}

function AdjustForm({ userId, onClose }: { userId: string; onClose: () => void }) {
  const [book, setBook] = useState<Mode>('real')
  const { field, submit, watch, refuse } = useRules(Rules, { amount: '', reason: '' })
  const { loading, error, act } = useAction(refuse)
  const propose = submit(async ({ amount, reason }) => {
    const dollars = must(dollarsOf(unsigned(amount))) * (isDebit(amount) ? -1 : 1)
    const done = await act(async () => {
      await send('POST /desk/users/:id/adjustments', {
        params: { id: userId },
        body: { book, amount: dollars, reason },
      })
      return 'Proposed. Another finance operator decides.'
    })
    if (done) onClose()
  })
  const typed = watch('amount')
  return (
    <form className={styles.form} noValidate onSubmit={propose}>
      <Alert>{error}</Alert>
      <Choices
        label="Account"
        value={book}
        onChange={setBook}
        options={[
          { value: 'real', label: 'Real' },
          { value: 'demo', label: 'Demo' },
        ]}
      />
      <Field
        label="Amount"
        unit="$"
        hint="Start with a minus sign to debit the trader."
        autoComplete="off"
        {...field('amount')}
      />
      <Field label="Reason" autoComplete="off" {...field('reason')} />
      <div className={styles.links}>
        <Button type="submit" loading={loading}>
          {withAmount(isDebit(typed) ? 'Propose to debit' : 'Propose to credit', unsigned(typed))}
        </Button>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
