import { useState } from 'react'
import type { Withdrawal } from '#contract/cashier.ts'
import { call, noteOwnAction, readUser, takeRow, useKey, useRequest } from '#web/api/index.ts'
import { ReportProblem } from '#web/complaints/index.ts'
import {
  Alert,
  Button,
  CopyText,
  Fact,
  Facts,
  formatDateTime,
  formatUsd,
  Modal,
  MoneyHead,
  toast,
  useLast,
} from '#web/ui/index.ts'
import styles from './details.module.css'
import { RequestStatus } from './request-status.tsx'

interface WithdrawalDetailsProps {
  withdrawal: Withdrawal | undefined
  onClose: () => void
}

/** All details of a withdrawal, in a modal; `undefined` closes it. */
export function WithdrawalDetails({ withdrawal, onClose }: WithdrawalDetailsProps) {
  const shown = useLast(withdrawal)
  return (
    <Modal open={withdrawal !== undefined} onClose={onClose} title="Withdrawal" sheet>
      {shown && <Details key={shown.withdraw_id} withdrawal={shown} isOpen={withdrawal !== undefined} />}
    </Modal>
  )
}

function Details({ withdrawal, isOpen }: { withdrawal: Withdrawal; isOpen: boolean }) {
  return (
    <div className={styles.details}>
      <MoneyHead status={withdrawal.status} amount={withdrawal.amount} />
      {withdrawal.reason && <Alert kind="warning">{withdrawal.reason}</Alert>}
      <Facts>
        <Fact name="To">{withdrawal.wallet}</Fact>
        <RequestStatus of={withdrawal} />
        {withdrawal.reference && (
          <Fact name="Reference">
            <CopyText text={withdrawal.reference} what="reference" />
          </Fact>
        )}
        <Fact name="Requested">{formatDateTime(withdrawal.createdAt)}</Fact>
        <Fact name="Transaction ID">
          <CopyText text={withdrawal.withdraw_id} what="transaction ID" />
        </Fact>
      </Facts>
      {withdrawal.status === 'Pending' && <Cancel withdrawal={withdrawal} />}
      <ReportProblem item="withdrawal" itemId={withdrawal.withdraw_id} isOpen={isOpen} />
    </div>
  )
}

/** Cancels a withdrawal after a confirmation. */
function Cancel({ withdrawal }: { withdrawal: Withdrawal }) {
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
