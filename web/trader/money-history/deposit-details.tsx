import type { Deposit } from '#contract/money/cashier.ts'
import { usePrivateFile } from '#web/api/index.ts'
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
  Skeleton,
  SourceBadge,
  Timeline,
  useLast,
} from '#web/ui/index.ts'
import { coinsOf, depositSteps, methodOf } from './deposit-words.ts'
import styles from './details.module.css'
import { RequestStatus } from './request-status.tsx'

/** All details of a deposit, in a modal; `undefined` closes it. */
export function DepositDetails({ deposit, onClose }: { deposit: Deposit | undefined; onClose: () => void }) {
  const shown = useLast(deposit)
  return (
    <Modal open={deposit !== undefined} onClose={onClose} title="Deposit" sheet>
      {shown && <Details deposit={shown} isOpen={deposit !== undefined} />}
    </Modal>
  )
}

function Details({ deposit, isOpen }: { deposit: Deposit; isOpen: boolean }) {
  const { amount, usd_amount, rate, rate_source, currency } = deposit
  return (
    <div className={styles.details}>
      <MoneyHead status={deposit.status} amount={amount} />
      {deposit.reason && <Alert kind="warning">{deposit.reason}</Alert>}
      <Facts>
        <RequestStatus of={deposit} />
        <Fact name="Method">{methodOf(deposit)}</Fact>
        {amount !== usd_amount && <Fact name="Amount submitted">{formatUsd(usd_amount)}</Fact>}
        {currency && <Fact name={`Amount in ${currency}`}>{coinsOf(deposit)}</Fact>}
        {currency && rate !== null && (
          <Fact name="Rate">
            {formatPrice(rate)} USD per {currency}
            {rate_source !== null && rate_source !== 'live' && (
              <>
                {' '}
                <SourceBadge source={rate_source} />
              </>
            )}
          </Fact>
        )}
        {deposit.arrival && currency && (
          <>
            <Fact name="Arrived">
              {formatCoin(deposit.arrival.coin_amount, currency)}, {formatDateTime(deposit.arrival.time)}
            </Fact>
            <Fact name="Rate on arrival">
              {formatPrice(deposit.arrival.rate)} USD per {currency}
            </Fact>
            <Fact name={`${currency} transaction`}>
              <CopyText text={deposit.arrival.transaction_id} what="transaction" />
            </Fact>
          </>
        )}
        {deposit.reversed !== undefined && <Fact name="Reversed">{formatUsd(deposit.reversed)}</Fact>}
        {deposit.rate_until && <Fact name="Rate held until">{formatDateTime(deposit.rate_until)}</Fact>}
        {deposit.address && (
          <Fact name="Sent to">
            <CopyText text={deposit.address} what="address" />
          </Fact>
        )}
        <Fact name="Transaction ID">
          <CopyText text={deposit.deposit_id} what="transaction ID" />
        </Fact>
      </Facts>
      <Timeline steps={depositSteps(deposit)} />
      {deposit.receipt_url && <Receipt path={deposit.receipt_url} />}
      <ReportProblem key={deposit.deposit_id} item="deposit" itemId={deposit.deposit_id} isOpen={isOpen} />
    </div>
  )
}

function Receipt({ path }: { path: string }) {
  const { url, error } = usePrivateFile(path)
  return (
    <figure className={styles.receipt}>
      <figcaption>Receipt</figcaption>
      {url ? <img src={url} alt="Your receipt" /> : error ? <p>{error}</p> : <Skeleton kind="block" />}
    </figure>
  )
}
