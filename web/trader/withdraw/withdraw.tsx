import { Landmark, Wallet } from 'lucide-react'
import { useState } from 'react'
import type { Withdrawal } from '#contract/money/cashier.ts'
import { readUser, takeRow, useUser } from '#web/api/index.ts'
import {
  Alert,
  formatDateTime,
  formatUsd,
  MethodCard,
  Methods,
  Modal,
  toast,
  WITHDRAWAL_MIN_USD,
} from '#web/ui/index.ts'
import { BankForm } from './bank-form.tsx'
import { missingWords } from './needs.ts'
import type { SaveForm } from './review.tsx'
import { useRequirements } from './use-requirements.ts'
import { WalletForm } from './wallet-form.tsx'
import styles from './withdraw.module.css'

const TERMS = `From ${formatUsd(WITHDRAWAL_MIN_USD)}`

/** The two withdrawal methods. `saveForm`: of the address book. */
export function Withdraw({ saveForm }: { saveForm: SaveForm }) {
  const { balance } = useUser()
  const requirements = useRequirements()
  const [method, setMethod] = useState<'bank' | 'wallet'>()
  const close = () => setMethod(undefined)
  const missing = requirements && !requirements.possible ? missingWords(requirements) : ''

  function onRequested(message: string, withdrawal: Withdrawal) {
    takeRow('GET /withdraw', withdrawal, (one) => one.withdraw_id)
    void readUser()
    toast.success(message)
    close()
  }

  return (
    <>
      <p className={styles.balance}>
        Available <strong className="tabular">{formatUsd(balance)}</strong>
      </p>
      {requirements?.paused_since && (
        <Alert kind="warning">
          Payouts are paused since {formatDateTime(requirements.paused_since)}. You can request a withdrawal now, and
          cancel it; it is paid once payouts resume.
        </Alert>
      )}
      <Methods>
        <MethodCard signs={[<Landmark key="bank" />]} title="Bank" terms={TERMS} onChoose={() => setMethod('bank')}>
          To a checking or savings account in your own name.
        </MethodCard>
        <MethodCard
          signs={[<Wallet key="wallet" />]}
          title="Crypto wallet"
          terms={TERMS}
          onChoose={() => setMethod('wallet')}
        >
          To a Bitcoin or Ethereum address. Crypto payments can't be reversed.
        </MethodCard>
      </Methods>
      {requirements && (
        <p className={styles.terms}>
          Paid within {requirements.business_days} business days. We hold the amount right away and return it if the
          withdrawal is cancelled or rejected. Above {formatUsd(requirements.two_person_amount)}, two people must
          approve it.
        </p>
      )}
      <Modal open={method === 'bank'} onClose={close} title="Withdraw to Bank" sheet>
        <BankForm missing={missing} onRequested={onRequested} saveForm={saveForm} />
      </Modal>
      <Modal open={method === 'wallet'} onClose={close} title="Withdraw to Crypto Wallet" sheet>
        <WalletForm missing={missing} onRequested={onRequested} saveForm={saveForm} />
      </Modal>
    </>
  )
}
