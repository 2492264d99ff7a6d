import { linkedAddress } from '#contract/fields.ts'
import type { Withdrawal } from '#contract/money/cashier.ts'
import { call, type Input, useUser } from '#web/api/index.ts'
import { Alert, Button, Field, useRules, withAmount } from '#web/ui/index.ts'
import { AmountField } from './amount-field.tsx'
import { guessCoin } from './guess-coin.ts'
import { MethodNote } from './method-note.tsx'
import { MissingRequirements } from './missing-requirements.tsx'
import type { SaveForm } from './review.tsx'
import { walletRules } from './rules.ts'
import { SavedWallets } from './saved-wallets.tsx'
import { Steps } from './steps.tsx'
import { useWithdrawal } from './use-withdrawal.ts'
import styles from './withdraw.module.css'

export interface WithdrawFormProps {
  /** The missing requirements as text; `''` if there are none. */
  missing: string
  onRequested: (message: string, withdrawal: Withdrawal) => void
  saveForm: SaveForm
}

/** Withdraws to a Bitcoin or Ethereum address. */
export function WalletForm({ missing, onRequested, saveForm }: WithdrawFormProps) {
  const { balance } = useUser()
  const { field, submit, watch, setValue, refuse } = useRules(walletRules(balance), { amount: '', wallet: '' })
  const { asking, ask, review } = useWithdrawal({
    preview: (body: Input<'POST /withdraw'>['body']) => call('POST /withdraw/preview', { body }),
    request: (body, key) => call('POST /withdraw', { body, key }),
    refuse,
    onRequested,
  })
  const preview = submit(({ amount, wallet }) => ask({ amount: Number(amount), wallet }))
  return (
    <Steps first="Amount and wallet" review={review} saveForm={saveForm}>
      <form className={styles.form} noValidate onSubmit={preview}>
        <MissingRequirements missing={missing} />
        <MethodNote to={guessCoin(linkedAddress(watch('wallet')))} />
        <Alert>{asking.error}</Alert>
        <AmountField
          typed={watch('amount')}
          onAll={(amount) => setValue('amount', amount, { shouldValidate: true })}
          {...field('amount')}
        />
        <SavedWallets
          wallet={watch('wallet')}
          onChoose={(wallet) => setValue('wallet', wallet, { shouldValidate: wallet !== '' })}
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
        <Button type="submit" size="large" wide loading={asking.loading}>
          {withAmount('Review', watch('amount'))}
        </Button>
      </form>
    </Steps>
  )
}
