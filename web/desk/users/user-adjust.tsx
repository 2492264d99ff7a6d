import { useState } from 'react'
import * as z from 'zod/mini'
import { LENGTH, text } from '#contract/fields.ts'
import type { Mode } from '#contract/terms.ts'
import { parseUsd, usdToNumber } from '#kernel/money.ts'
import { Alert, Button, Choices, Field, useRules } from '#web/ui/index.ts'
import { send } from '../api.ts'
import { useAction } from '../parts/use-action.ts'
import styles from './user-page.module.css'

const signed = (typed: string) =>
  parseUsd(
    typed
      .trim()
      .replace(/^[+−-]/, '')
      .replaceAll(',', ''),
  )
const Rules = z.object({
  amount: text(20).check(z.refine((typed) => (signed(typed) ?? 0n) > 0n, 'must be an amount such as 12.50 or -12.50')),
  reason: text(LENGTH.reason),
})

/** Proposes to credit or debit a balance; a second finance operator decides on the adjustments page. */
export function UserAdjust({ userId }: { userId: string }) {
  const [open, setOpen] = useState(false)
  const [book, setBook] = useState<Mode>('real')
  const { field, submit, reset } = useRules(Rules, { amount: '', reason: '' })
  const { loading, error, act } = useAction()
  if (!open) {
    return (
      <div className={styles.form}>
        <div>
          <Button look="secondary" size="small" onClick={() => setOpen(true)}>
            Propose an adjustment
          </Button>
        </div>
      </div>
    )
  }
  const propose = submit(async ({ amount, reason }) => {
    const dollars = usdToNumber(signed(amount)!) * (/^[−-]/.test(amount.trim()) ? -1 : 1)
    const done = await act(async () => {
      await send('POST /desk/users/:id/adjustments', {
        params: { id: userId },
        body: { book, amount: dollars, reason },
      })
      return 'Proposed. Another finance operator decides.'
    })
    if (done) {
      reset()
      setOpen(false)
    }
  })
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
          Propose
        </Button>
        <Button look="quiet" onClick={() => setOpen(false)}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
