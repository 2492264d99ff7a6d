import type { Withdrawal } from '#contract/cashier.ts'
import { linkedAddress } from '#contract/fields.ts'
import { call, noteOwnAction, useKey, useRequest, useUser } from '#web/api/index.ts'
import { Alert, Button, Field, useRules, withAmount } from '#web/ui/index.ts'
import { AmountField } from './amount-field.tsx'
import { guessCoin } from './guess-coin.ts'
import { MethodNote } from './method-note.tsx'
import { MissingRequirements } from './missing-requirements.tsx'
import { walletRules } from './rules.ts'
import styles from './withdraw.module.css'

export interface WithdrawFormProps {
  /** The missing requirements as text; `''` if there are none. */
  missing: string
  onRequested: (message: string, withdrawal: Withdrawal) => void
}

/** Withdraws to a Bitcoin or Ethereum address. */
export function WalletForm({ missing, onRequested }: WithdrawFormProps) {
  const { balance } = useUser()
  const { field, submit, watch, setValue, refuse } = useRules(walletRules(balance), { amount: '', wallet: '' })
  const { loading, error, run } = useRequest(refuse)
  const keyFor = useKey()

  const request = submit(({ amount, wallet }) =>
    run(async () => {
      noteOwnAction('withdraw')
      const body = { amount: Number(amount), wallet }
      const { message, data } = await call('POST /withdraw', { body, key: keyFor(body) })
      onRequested(message, data)
    }),
  )

  return (
    <form className={styles.form} noValidate onSubmit={request}>
      <MissingRequirements missing={missing} />
      <MethodNote to={guessCoin(linkedAddress(watch('wallet')))} />
      <Alert>{error}</Alert>
      <AmountField
        typed={watch('amount')}
        onAll={(amount) => setValue('amount', amount, { shouldValidate: true })}
        {...field('amount')}
      />
      <Field
        label="Wallet"
        hint="A Bitcoin or Ethereum address. Check its first and last characters."
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...field('wallet')}
        onPaste={(event) => {
          // A payment link: show the address that the coins go to.
          const text = event.clipboardData.getData('text')
          const address = linkedAddress(text)
          if (address === text.trim()) return
          event.preventDefault()
          setValue('wallet', address, { shouldValidate: true })
        }}
      />
      <Button type="submit" size="large" wide loading={loading}>
        {withAmount('Withdraw', watch('amount'))}
      </Button>
    </form>
  )
}
