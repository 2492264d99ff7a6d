import type { DeskDeposit } from '#contract/desk/money/deposits.ts'
import { QUEUES } from '#contract/desk/terms.ts'
import { must } from '#kernel/must.ts'
import {
  Alert,
  CopyText,
  dollarsOf,
  Fact,
  Facts,
  formatCoin,
  formatDateTime,
  formatPrice,
  formatUsd,
} from '#web/ui/index.ts'
import { call, send } from '../../api.ts'
import { Approvals } from '../../parts/approvals.tsx'
import { PersonFact } from '../../parts/person-fact.tsx'
import { PrivatePicture } from '../../parts/private-picture.tsx'
import styles from '../../parts/side-by-side.module.css'
import { type Action, personOf, rejection, revocation } from '../screen/item.ts'
import { QueueScreen } from '../screen/queue-screen.tsx'
import { SecondOperator } from '../screen/second-operator.tsx'
import { amountWarning } from './amount-warning.ts'
import { DepositArrival } from './deposit-arrival.tsx'
import { DepositReversal } from './deposit-reversal.tsx'

/** Deposits: the submitted details next to the payment proof; the operator enters the amount received. */
export default function Deposits() {
  return (
    <QueueScreen
      queue="deposits"
      waitsSince={(deposit) => (deposit.status === 'Pending' ? deposit.created_at : unpaidBack(deposit)[0]?.at)}
      line={(deposit) => ({
        words:
          deposit.status === 'Pending' && deposit.approvals > 0
            ? `${deposit.currency ?? 'Card'}, ${deposit.approvals} of ${deposit.approvals_needed} approvals`
            : (deposit.currency ?? 'Card'),
        figure: formatUsd(deposit.amount ?? deposit.usd_amount),
      })}
      detail={(deposit, may) => (
        <>
          {(deposit.needs_second_operator || deposit.rejection) && (
            <SecondOperator
              roles={QUEUES.deposits.acts}
              by={deposit.rejection?.operator_id ?? deposit.approved_by[0]?.operator_id}
            />
          )}
          {deposit.rejection && (
            <Alert kind="warning">
              {deposit.rejection.email} proposed to reject this: {deposit.rejection.reason} A second operator rejects
              it, with this reason, or approves it.
            </Alert>
          )}
          <div className={styles.sides}>
            <div className={styles.column}>
              <DepositFacts {...deposit} />
              <DepositArrival key={`arrival of ${deposit.id}`} deposit={deposit} may={may} />
              {may && <DepositReversal key={deposit.id} deposit={deposit} />}
            </div>
            {deposit.receipt_url && may ? (
              <PrivatePicture path={deposit.receipt_url} label={`Receipt of ${deposit.email}`} />
            ) : (
              <p className={styles.none}>{deposit.receipt_url ? 'Only finance can see the receipt.' : 'No receipt.'}</p>
            )}
          </div>
        </>
      )}
      actions={actionsOf}
    />
  )
}

/** What was submitted, and what has become of it. */
function DepositFacts(deposit: DeskDeposit) {
  return (
    <Facts>
      <PersonFact {...deposit} />
      <Fact name="Submitted amount">{formatUsd(deposit.usd_amount)}</Fact>
      {deposit.coin_amount !== null && deposit.currency && (
        <Fact name="Coin amount">{formatCoin(deposit.coin_amount, deposit.currency)}</Fact>
      )}
      {deposit.rate && (
        <Fact name="Rate">
          {formatPrice(deposit.rate)} USD{deposit.rate_until && `, until ${formatDateTime(deposit.rate_until)}`}
        </Fact>
      )}
      {deposit.address && (
        <Fact name="Sent to">
          <CopyText text={deposit.address} what="address" />
        </Fact>
      )}
      {deposit.amount !== undefined && <Fact name="Credited">{formatUsd(deposit.amount)}</Fact>}
      {deposit.reversed !== undefined && <Fact name="Reversed">{formatUsd(deposit.reversed)}</Fact>}
      <Approvals {...deposit} />
      <Fact name="Submitted">{formatDateTime(deposit.created_at)}</Fact>
      {deposit.due_by && <Fact name="Due by">{formatDateTime(deposit.due_by)}</Fact>}
      {deposit.uncredited_payments.map(({ payment, amount, at, closed }) => (
        <Fact key={payment} name="Paid, not credited">
          {formatUsd(amount)} by card, {formatDateTime(at)} <CopyText text={payment} what="payment" />
          {closed && (
            <p>
              Closed by {closed.email}, {formatDateTime(closed.at)}: {closed.reason}
            </p>
          )}
        </Fact>
      ))}
      {deposit.reason && <Fact name="Reason">{deposit.reason}</Fact>}
    </Facts>
  )
}

/** A proposed rejection is completed with its own reason. */
function rejectionOf({ id, email, rejection: proposed }: DeskDeposit): Action {
  const reject = async (reason: string) => {
    const { data } = await send('POST /desk/deposits/:id/reject', { params: { id }, body: { reason } })
    return data.status === 'Rejected'
      ? `The deposit of ${email} was rejected.`
      : 'Proposed. Another operator completes the rejection.'
  }
  if (!proposed) return rejection(reject, 'The trader sees this.')
  return { key: 'r', label: 'Complete the rejection', look: 'danger', run: () => reject(proposed.reason) }
}

/** The card payments that can't be credited and still await their refund. */
const unpaidBack = ({ uncredited_payments }: DeskDeposit) => uncredited_payments.filter(({ closed }) => closed === null)

function actionsOf(deposit: DeskDeposit, me: string | undefined): Action[] {
  const params = { id: deposit.id }
  if (unpaidBack(deposit).length > 0) {
    return [
      {
        key: 'x',
        label: 'Close the payment',
        look: 'primary',
        asks: {
          label: 'Reason',
          kind: 'long',
          hint: "Refund it at the card provider first, then say so here with the refund's id.",
        },
        run: async (reason) => {
          await call('POST /desk/deposits/:id/close-payments', { params, body: { reason } })
          return `The card payment of ${deposit.email} is closed.`
        },
      },
    ]
  }
  if (deposit.status !== 'Pending') return []
  const approve: Action = deposit.approved_by.some((one) => one.operator_id === me)
    ? revocation(() => call('POST /desk/deposits/:id/withdraw-approval', { params }))
    : {
        key: 'a',
        label: 'Approve',
        look: 'primary',
        asks: {
          label: 'US dollars received',
          kind: 'amount',
          verb: 'Credit',
          to: personOf(deposit),
          hint: `Arrived: ${formatUsd(deposit.arrival?.amount ?? deposit.usd_amount)}. At most this can be credited.`,
          warning: (amount) => amountWarning(amount, deposit.usd_amount),
        },
        run: async (typed) => {
          const { data } = await send('POST /desk/deposits/:id/approve', {
            params,
            body: { amount: must(dollarsOf(typed)) },
          })
          return data.status === 'Approved'
            ? `${formatUsd(data.amount ?? 0)} was credited to ${deposit.email}.`
            : 'Approved. Another operator must enter the same amount.'
        },
      }
  // Coins are approved once it's entered what arrived.
  const canApprove = deposit.arrival !== null || deposit.assigned
  return [...(canApprove ? [approve] : []), ...(deposit.rejection?.operator_id === me ? [] : [rejectionOf(deposit)])]
}
