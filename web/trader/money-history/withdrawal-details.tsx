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
  formatCoin,
  formatDateTime,
  formatPrice,
  formatUsd,
  Modal,
  MoneyHead,
  SourceBadge,
  Timeline,
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
        <Coins {...withdrawal} />
        {withdrawal.reference && (
          <Fact name={withdrawal.currency ? `${withdrawal.currency} transaction` : 'Reference'}>
            <CopyText text={withdrawal.reference} what={withdrawal.currency ? 'transaction' : 'reference'} />
          </Fact>
        )}
        <Fact name="Transaction ID">
          <CopyText text={withdrawal.withdraw_id} what="transaction ID" />
        </Fact>
      </Facts>
      <Timeline steps={stepsOf(withdrawal)} />
      {withdrawal.status === 'Pending' && <Cancel withdrawal={withdrawal} />}
      <ReportProblem item="withdrawal" itemId={withdrawal.withdraw_id} isOpen={isOpen} />
    </div>
  )
}

/** The coins that are sent, their rate and its time. */
function Coins({ currency, coin_amount, rate, rate_time, rate_source, fee, status }: Withdrawal) {
  if (currency === null) return null
  if (coin_amount === undefined || rate === undefined || rate_time === undefined) {
    if (status !== 'Pending' && status !== 'Processing') return null
    return <Fact name={`Amount in ${currency}`}>Fixed when we pay it, at the price of that moment</Fact>
  }
  return (
    <>
      <Fact name={`Amount in ${currency}`}>{formatCoin(coin_amount, currency)}</Fact>
      <Fact name="Rate">
        {formatPrice(rate)} USD per {currency}{' '}
        {rate_source && rate_source !== 'live' && <SourceBadge source={rate_source} />}
      </Fact>
      <Fact name="Rate fixed">{formatDateTime(rate_time)}</Fact>
      {fee !== undefined && <Fact name="Fee">{fee === 0 ? 'None' : formatUsd(fee)}</Fact>}
    </>
  )
}

/** The steps of a withdrawal. One that ended otherwise has only those that it took. */
function stepsOf({ status, createdAt, approved_at, since, due_by }: Withdrawal) {
  const requested = { name: 'Requested', at: createdAt }
  const approved = { name: 'Approved', at: approved_at }
  if (status === 'Rejected' || status === 'Cancelled')
    return [
      requested,
      ...(approved_at === undefined ? [] : [approved]),
      { name: status === 'Rejected' ? 'Rejected' : 'Cancelled by you', at: since },
    ]
  const note = due_by === undefined ? undefined : `by ${formatDateTime(due_by)}`
  return [requested, approved, status === 'Paid' ? { name: 'Paid', at: since } : { name: 'Paid', note }]
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
