import type { ComponentProps } from 'react'
import { BANK_ACCOUNT_TYPES } from '#contract/terms.ts'
import { call, type Input, useUser } from '#web/api/index.ts'
import { Alert, Button, Field, Select, useRules, withAmount } from '#web/ui/index.ts'
import { AmountField } from './amount-field.tsx'
import { MethodNote } from './method-note.tsx'
import { MissingRequirements } from './missing-requirements.tsx'
import { bankAlert, bankRules } from './rules.ts'
import { Steps } from './steps.tsx'
import { useWithdrawal } from './use-withdrawal.ts'
import type { WithdrawFormProps } from './wallet-form.tsx'
import styles from './withdraw.module.css'

/** Withdraws to a bank account. */
export function BankForm({ missing, onRequested, saveForm }: WithdrawFormProps) {
  const { balance } = useUser()
  const { field, submit, watch, setValue, refuse, formState } = useRules(bankRules(balance), {
    bank_name: '',
    account_number: '',
    routing_number: '',
    amount: '',
  })
  const { asking, ask, review } = useWithdrawal({
    preview: (body: Input<'POST /withdraw/bank'>['body']) => call('POST /withdraw/bank/preview', { body }),
    request: (body, key) => call('POST /withdraw/bank', { body, key }),
    refuse,
    onRequested,
  })
  const { error } = asking
  const preview = submit((values) => ask({ ...values, amount: Number(values.amount) }))
  return (
    <Steps first="Amount and account" review={review} saveForm={saveForm} bank={review?.body}>
      <form className={styles.form} noValidate onSubmit={preview}>
        <MissingRequirements missing={missing} />
        <MethodNote to="bank" />
        <Alert>{formState.isSubmitted ? (bankAlert(formState.errors) ?? error) : error}</Alert>
        <AmountField
          typed={watch('amount')}
          onAll={(amount) => setValue('amount', amount, { shouldValidate: true })}
          {...field('amount')}
        />
        <div className={styles.pair}>
          <Field label="Bank name" autoComplete="off" {...field('bank_name')} />
          <Select label="Account type" defaultValue="" {...field('type')}>
            <option value="" disabled>
              Choose
            </option>
            {BANK_ACCOUNT_TYPES.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </Select>
        </div>
        <div className={styles.pair}>
          <NumberField label="Account number" {...field('account_number')} />
          <NumberField label="Routing number" {...field('routing_number')} />
        </div>
        <p className={styles.note}>Stored encrypted. We show only the last four digits.</p>
        <Button type="submit" size="large" wide loading={asking.loading}>
          {withAmount('Review', watch('amount'))}
        </Button>
      </form>
    </Steps>
  )
}

const NumberField = (field: ComponentProps<typeof Field>) => (
  <Field autoComplete="off" inputMode="numeric" spellCheck={false} {...field} />
)
