import { useState } from 'react'
import { Link } from 'react-router'
import * as z from 'zod/mini'
import type { DeskDeposit } from '#contract/desk/money/deposits.ts'
import { LENGTH, text } from '#contract/fields.ts'
import { Alert, Button, Field, formatUsd, typedUsd, useRules, withAmount } from '#web/ui/index.ts'
import { send } from '../../api.ts'
import { useAction } from '../../parts/use-action.ts'
import styles from '../../users/user-page.module.css'

const Rules = z.object({
  amount: typedUsd(0).check(z.refine((amount) => Number(amount) > 0, 'must be more than 0')),
  reference: text(LENGTH.bank),
  reason: text(LENGTH.reason),
})

/** Proposes to reverse a credited deposit; another finance operator decides. */
export function DepositReversal({ deposit }: { deposit: DeskDeposit }) {
  const [open, setOpen] = useState(false)
  const { field, submit, reset, watch, refuse } = useRules(Rules, { amount: '', reference: '', reason: '' })
  const { loading, error, act } = useAction(refuse)
  const left = (deposit.amount ?? 0) - (deposit.reversed ?? 0)
  if (deposit.status !== 'Approved' || left <= 0 || deposit.own) return null
  if (!open) {
    return (
      <div className={styles.links}>
        <Button look="secondary" size="small" onClick={() => setOpen(true)}>
          Propose a reversal
        </Button>
        <Link to={`/reversals?user=${deposit.user_id}`}>This trader's reversals</Link>
      </div>
    )
  }
  const propose = submit(async ({ amount, reference, reason }) => {
    const done = await act(async () => {
      const body = { amount: Number(amount), reference, reason }
      await send('POST /desk/deposits/:id/reverse', { params: { id: deposit.id }, body })
      return 'Proposed. Another finance operator decides.'
    })
    if (!done) return
    reset()
    setOpen(false)
  })
  return (
    <form className={styles.form} noValidate onSubmit={propose}>
      <Alert>{error}</Alert>
      <Field
        label="Amount"
        unit="$"
        hint={`At most ${formatUsd(left)}. What the balance doesn't cover becomes debt.`}
        inputMode="decimal"
        autoComplete="off"
        {...field('amount')}
      />
      <Field
        label="Reference"
        hint="The bank's or provider's reference for the refund or dispute."
        autoComplete="off"
        {...field('reference')}
      />
      <Field label="Reason" autoComplete="off" {...field('reason')} />
      <div className={styles.links}>
        <Button type="submit" look="danger" loading={loading}>
          {withAmount('Propose', watch('amount'))}
        </Button>
        <Button look="quiet" onClick={() => setOpen(false)}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
