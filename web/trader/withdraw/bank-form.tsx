import { BANK_ACCOUNT_TYPES } from '#contract/terms.ts'
import { call, noteOwnAction, useKey, useRequest, useUser } from '#web/api/index.ts'
import { Alert, Button, Field, Select, useRules, withAmount } from '#web/ui/index.ts'
import { AmountField } from './amount-field.tsx'
import { MethodNote } from './method-note.tsx'
import { MissingRequirements } from './missing-requirements.tsx'
import { bankAlert, bankRules } from './rules.ts'
import type { WithdrawFormProps } from './wallet-form.tsx'
import styles from './withdraw.module.css'

/** Withdraws to a bank account. */
export function BankForm({ missing, onRequested }: WithdrawFormProps) {
  const { balance } = useUser()
  const { field, submit, watch, setValue, refuse, formState } = useRules(bankRules(balance), {
    bank_name: '',
    account_number: '',
    routing_number: '',
    amount: '',
  })
  const { loading, error, run } = useRequest(refuse)
  const keyFor = useKey()
  const request = submit((values) =>
    run(async () => {
      noteOwnAction('withdraw')
      const body = { ...values, amount: Number(values.amount) }
      const { message, data } = await call('POST /withdraw/bank', { body, key: keyFor(body) })
      onRequested(message, data)
    }),
  )

  return (
    <form className={styles.form} noValidate onSubmit={request}>
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
        <Field
          label="Account number"
          autoComplete="off"
          inputMode="numeric"
          spellCheck={false}
          {...field('account_number')}
        />
        <Field
          label="Routing number"
          autoComplete="off"
          inputMode="numeric"
          spellCheck={false}
          {...field('routing_number')}
        />
      </div>
      <p className={styles.note}>Stored encrypted. We show only the last four digits.</p>
      <Button type="submit" size="large" wide loading={loading}>
        {withAmount('Withdraw', watch('amount'))}
      </Button>
    </form>
  )
}
