import type { Withdrawal } from '#contract/money/cashier.ts'
import { ReportProblem } from '#web/complaints/index.ts'
import {
  Alert,
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
  useLast,
} from '#web/ui/index.ts'
import { CancelWithdrawal } from './cancel-withdrawal.tsx'
import styles from './details.module.css'
import { RequestStatus } from './request-status.tsx'
import { withdrawalSteps } from './withdrawal-steps.ts'

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
      <Timeline steps={withdrawalSteps(withdrawal)} />
      {withdrawal.status === 'Pending' && <CancelWithdrawal withdrawal={withdrawal} />}
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
