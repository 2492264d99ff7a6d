import { BANK_ACCOUNT_TYPES } from '#contract/terms.ts'
import { call, noteOwnAct, useKey, useRequest, useUser } from '#web/api/index.ts'
import { Alert, Button, Field, MESSAGES, Select, useRules } from '#web/ui/index.ts'
import { AmountField } from './amount-field.tsx'
import { NotYet } from './not-yet.tsx'
import { bankRules } from './rules.ts'
import type { WithdrawFormProps } from './wallet-form.tsx'
import styles from './withdraw.module.css'

/** To a bank account. */
export function BankForm({ missing, onRequested }: WithdrawFormProps) {
  const { balance } = useUser()
  const { field, submit, watch, setValue, formState } = useRules(bankRules(balance), {
    bank_name: '',
    account_number: '',
    routing_number: '',
    amount: '',
  })
  const { loading, error, run } = useRequest()
  const keyFor = useKey()
  const isIncomplete =
    formState.isSubmitted &&
    Object.values(formState.errors).some((failing) => failing?.message !== MESSAGES.overBalance)

  const request = submit((values) =>
    run(async () => {
      noteOwnAct('withdraw')
      const body = { ...values, amount: Number(values.amount) }
      const { message, data } = await call('POST /withdraw/bank', { body, key: keyFor(body) })
      onRequested(message, data)
    }),
  )

  return (
    <form className={styles.form} noValidate onSubmit={request}>
      <NotYet missing={missing} />
      <Alert>{isIncomplete ? MESSAGES.bankIncomplete : error}</Alert>
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
      <p className={styles.note}>Kept encrypted. Screens show only the last four digits.</p>
      <Button type="submit" size="large" wide loading={loading}>
        Withdraw
      </Button>
    </form>
  )
}
