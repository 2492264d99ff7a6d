import { useMutation } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { DeskWithdrawal } from '#contract/desk/money/withdrawals.ts'
import { QUEUES, TO_DO } from '#contract/desk/terms.ts'
import { RATE_MINUTES } from '#contract/terms.ts'
import { messageOf } from '#web/client/index.ts'
import {
  Alert,
  Button,
  CopyText,
  cx,
  Fact,
  Facts,
  formatCoin,
  formatDateTime,
  formatPrice,
  formatUsd,
  plainCoins,
  SourceBadge,
} from '#web/ui/index.ts'
import { call, send } from '../../api.ts'
import { Approvals } from '../../parts/approvals.tsx'
import { DUE_NAMES } from '../../parts/due-names.ts'
import { PERIODS } from '../../parts/in-days.tsx'
import { PersonFact } from '../../parts/person-fact.tsx'
import { type Action, approval, personOf, revocation } from '../screen/item.ts'
import { QueueScreen } from '../screen/queue-screen.tsx'
import { SecondOperator } from '../screen/second-operator.tsx'
import styles from './withdrawals.module.css'

const OPEN: readonly string[] = QUEUES.withdrawals.open
const FILTERS = [
  { param: 'due', label: 'Due', options: DUE_NAMES, of: [TO_DO, ...OPEN] },
  {
    param: 'paid',
    label: 'Paid',
    options: Object.fromEntries(PERIODS.map(({ value, label }) => [value, label])),
    of: ['Paid'],
  },
]

/** Withdrawals: approved by one or two operators, then paid manually and marked with the payment's reference. */
export default function Withdrawals() {
  return (
    <QueueScreen
      queue="withdrawals"
      filters={FILTERS}
      line={(withdrawal) => ({
        words:
          withdrawal.status === 'Pending' && withdrawal.approvals > 0
            ? `${withdrawal.currency ?? 'Bank'}, ${withdrawal.approvals} of ${withdrawal.approvals_needed} approvals`
            : `${withdrawal.currency ?? 'Bank'}${withdrawal.status === 'Processing' ? ', to be paid' : ''}`,
        figure: formatUsd(withdrawal.amount),
      })}
      detail={(withdrawal, may) => (
        <>
          {withdrawal.needs_second_operator && (
            <SecondOperator roles={QUEUES.withdrawals.acts} by={withdrawal.approved_by[0]?.operator_id} />
          )}
          <Steps {...withdrawal} />
          <InBatch {...withdrawal} />
          <Facts>
            <PersonFact {...withdrawal} />
            <Fact name="Amount">{formatUsd(withdrawal.amount)}</Fact>
            <Coins {...withdrawal} />
            <Fact name={withdrawal.method === 'bank' ? 'To' : `To (${withdrawal.currency})`}>
              {withdrawal.method === 'bank' ? withdrawal.wallet : <CopyText text={withdrawal.wallet} what="address" />}
            </Fact>
            <Destination {...withdrawal} />
            <Approvals {...withdrawal} />
            <Fact name="Requested">{formatDateTime(withdrawal.created_at)}</Fact>
            {withdrawal.due_by && OPEN.includes(withdrawal.status) && (
              <Fact name="Due by">{formatDateTime(withdrawal.due_by)}</Fact>
            )}
            {withdrawal.approved_at && <Fact name="Approved">{formatDateTime(withdrawal.approved_at)}</Fact>}
            {withdrawal.reference && (
              <Fact name={withdrawal.currency ? 'Transaction' : 'Reference'}>
                <CopyText text={withdrawal.reference} what={withdrawal.currency ? 'transaction' : 'reference'} />
              </Fact>
            )}
            {withdrawal.reason && <Fact name="Reason">{withdrawal.reason}</Fact>}
          </Facts>
          {withdrawal.method === 'bank' && may && <Bank id={withdrawal.id} />}
        </>
      )}
      actions={actionsOf}
    />
  )
}

/** What the trader stated about where the money goes. */
function Destination({ destination, method }: DeskWithdrawal) {
  if (destination === null) return <Fact name="Whose">Not stated: not in the trader's address book</Fact>
  const { name, beneficiary, hosted_by, saved_at } = destination
  return (
    <>
      <Fact name="Saved as">
        {name}, since {formatDateTime(saved_at)}
      </Fact>
      <Fact name="Whose">{beneficiary === null ? "The trader's own" : beneficiary}</Fact>
      {method === 'crypto' && <Fact name="Kept by">{hosted_by ?? 'Its owner (no service)'}</Fact>}
    </>
  )
}

/** The coins to send, and the rate of the tape that they were fixed at. */
function Coins({ currency, coin_amount, rate, rate_time, rate_source }: DeskWithdrawal) {
  if (currency === null || coin_amount === null || rate === null || rate_time === null) return null
  return (
    <>
      <Fact name="Send exactly">
        <CopyText text={plainCoins(coin_amount)} unit={currency} what="coin amount" />
      </Fact>
      <Fact name="Rate">
        {formatPrice(rate)} USD per {currency}, {formatDateTime(rate_time)}{' '}
        {rate_source !== null && rate_source !== 'live' && <SourceBadge source={rate_source} />}
      </Fact>
    </>
  )
}

/** Whether the rate that the coins were fixed at may be renewed. */
const isRateOver = ({ rate_time }: DeskWithdrawal) =>
  rate_time !== null && Date.now() - Date.parse(rate_time) > RATE_MINUTES * 60_000

/** What an open withdrawal still takes: it stays selected from its approval until it is paid. */
function Steps(withdrawal: DeskWithdrawal) {
  const { status, amount, method, currency, coin_amount, approvals, approvals_needed, batch_id } = withdrawal
  if (!OPEN.includes(status) || batch_id !== null) return null
  const approved = status === 'Processing'
  const pays = approved && (currency === null || coin_amount !== null)
  const to = method === 'bank' ? 'the bank account' : 'the address'
  const what = currency !== null && coin_amount !== null ? formatCoin(coin_amount, currency) : formatUsd(amount)
  return (
    <ol className={styles.steps} aria-label="Steps">
      <li className={cx(approved && styles.stepDone)} aria-current={approved ? undefined : 'step'}>
        {approved ? 'Approved' : approvals_needed > 1 ? `Approve (${approvals} of ${approvals_needed})` : 'Approve'}
      </li>
      {currency !== null && (
        <li className={cx(pays && styles.stepDone)} aria-current={approved && !pays ? 'step' : undefined}>
          {pays ? `Fixed in ${currency}` : `Fix the amount in ${currency}`}
        </li>
      )}
      <li aria-current={pays ? 'step' : undefined}>
        Pay {what} to {to} below
        {pays && isRateOver(withdrawal) && '. The rate is over: if you have not paid yet, renew it first'}
      </li>
      <li>Mark as paid, with the {currency === null ? 'reference' : 'transaction ID'}</li>
    </ol>
  )
}

/** Fixes the coins, or renews a rate that is over. */
function fixing(withdrawal: DeskWithdrawal): Action[] {
  const { id, currency, rate } = withdrawal
  if (currency === null || (rate !== null && !isRateOver(withdrawal))) return []
  return [
    {
      key: 'f',
      label: rate === null ? `Fix the amount in ${currency}` : 'Renew the rate',
      look: rate === null ? 'primary' : 'secondary',
      run: async () => {
        const { data } = await send('POST /desk/withdrawals/:id/fix-coins', { params: { id } })
        return `Send exactly ${formatCoin(data.coin_amount ?? 0, currency)}. The rate counts for ${RATE_MINUTES} minutes.`
      },
    },
  ]
}

/** In a batch it is paid with the others, so nothing is done here. */
function InBatch({ batch_id, status }: DeskWithdrawal) {
  if (batch_id === null || status !== 'Processing') return null
  return (
    <p>
      It's in a payout batch. Mark it as paid there, or take it out first: <Link to="/payout-batches">{batch_id}</Link>
    </p>
  )
}

function actionsOf(withdrawal: DeskWithdrawal, me: string | undefined): Action[] {
  const params = { id: withdrawal.id }
  const reject: Action = {
    key: 'r',
    label: withdrawal.status === 'Processing' ? 'Payment bounced' : 'Reject',
    look: 'danger',
    asks: { label: 'Reason', kind: 'long', hint: 'The trader sees this. The money returns to their balance.' },
    run: async (reason) => {
      await send('POST /desk/withdrawals/:id/reject', { params, body: { reason } })
      return `${formatUsd(withdrawal.amount)} was returned to ${withdrawal.email}.`
    },
  }
  if (withdrawal.status === 'Pending') {
    const approve: Action = withdrawal.approved_by.some((one) => one.operator_id === me)
      ? revocation(() => call('POST /desk/withdrawals/:id/withdraw-approval', { params }))
      : approval(`the withdrawal of ${formatUsd(withdrawal.amount)} for ${personOf(withdrawal)}`, async () => {
          const { data } = await send('POST /desk/withdrawals/:id/approve', { params })
          return data.status === 'Processing'
            ? 'Approved. Pay it now, then mark it as paid.'
            : 'Approved. Another operator must approve it too.'
        })
    return [approve, reject]
  }
  if (withdrawal.status !== 'Processing' || withdrawal.batch_id !== null) return []
  const { currency, rate } = withdrawal
  return [
    ...fixing(withdrawal),
    {
      key: 'p',
      label: 'Mark as paid',
      look: currency === null || rate !== null ? 'primary' : 'secondary',
      asks:
        currency === null
          ? { label: 'Reference', kind: 'text', hint: "The bank's payment reference." }
          : { label: 'Transaction ID', kind: 'text', hint: `The ID of the ${currency} transaction, from the wallet.` },
      run: async (reference) => {
        await send('POST /desk/withdrawals/:id/paid', { params, body: { reference } })
        return `${formatUsd(withdrawal.amount)} to ${withdrawal.email} is marked as paid.`
      },
    },
    reject,
  ]
}

/** The full bank account, loaded on request: every view is audited. */
function Bank({ id }: { id: string }) {
  const bank = useMutation({ mutationFn: () => call('GET /desk/withdrawals/:id/bank', { params: { id } }) })
  if (!bank.data) {
    return (
      <div>
        <Alert>{bank.isError ? messageOf(bank.error) : undefined}</Alert>
        <Button look="secondary" size="small" loading={bank.isPending} onClick={() => bank.mutate()}>
          Show the bank account (this view is logged)
        </Button>
      </div>
    )
  }
  const { bank_name, type, account_number, routing_number } = bank.data.data
  return (
    <Facts>
      <Fact name="Bank">
        {bank_name}, {type}
      </Fact>
      <Fact name="Account">
        <CopyText text={account_number} what="account number" />
      </Fact>
      <Fact name="Routing">
        <CopyText text={routing_number} what="routing number" />
      </Fact>
    </Facts>
  )
}
