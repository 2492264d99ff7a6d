import { useState } from 'react'
import type { Withdrawal } from '#contract/money/cashier.ts'
import { call, noteOwnAction, readUser, takeRow, useKey, useRequest } from '#web/api/index.ts'
import { Alert, Button, formatUsd, toast } from '#web/ui/index.ts'
import styles from './details.module.css'

/** Cancels a withdrawal after a confirmation. */
export function CancelWithdrawal({ withdrawal }: { withdrawal: Withdrawal }) {
  const [isAsked, setAsked] = useState(false)
  const { loading, error, run } = useRequest()
  const keyFor = useKey()
  const cancel = () =>
    run(async () => {
      noteOwnAction('withdraw')
      const { message, data } = await call('POST /withdraw/:withdraw_id/cancel', {
        params: { withdraw_id: withdrawal.withdraw_id },
        key: keyFor(withdrawal.withdraw_id),
      })
      takeRow('GET /withdraw', data, (one) => one.withdraw_id)
      void readUser()
      toast.success(message)
    })

  if (!isAsked) {
    return (
      <Button look="danger" onClick={() => setAsked(true)}>
        Cancel this withdrawal
      </Button>
    )
  }
  return (
    <>
      <Alert>{error}</Alert>
      <p role="status">Cancel this withdrawal? {formatUsd(withdrawal.amount)} returns to your balance.</p>
      <div className={styles.answers}>
        <Button look="secondary" disabled={loading} onClick={() => setAsked(false)}>
          Keep it
        </Button>
        <Button look="danger" loading={loading} autoFocus onClick={() => void cancel()}>
          Yes, cancel it
        </Button>
      </div>
    </>
  )
}
