import { useMutation } from '@tanstack/react-query'
import { QUEUES } from '#contract/desk/terms.ts'
import type { DeskWithdrawal } from '#contract/desk/withdrawals.ts'
import { messageOf } from '#web/client/index.ts'
import { Alert, Button, CopyText, cx, Fact, Facts, formatDateTime, formatUsd } from '#web/ui/index.ts'
import { call, send } from '../api.ts'
import { Approvals, SecondOperator } from '../parts/approvals.tsx'
import { PersonFact } from '../parts/person-fact.tsx'
import { type Action, approval, personOf, revocation } from './screen/item.ts'
import { QueueScreen } from './screen/queue-screen.tsx'
import styles from './withdrawals.module.css'

const OPEN: readonly string[] = QUEUES.withdrawals.open

/** Withdrawals: approved by one or two operators, then paid manually and marked with the payment's reference. */
export default function Withdrawals() {
  return (
    <QueueScreen
      queue="withdrawals"
      line={(withdrawal) => ({
        words:
          withdrawal.status === 'Pending' && withdrawal.approvals > 0
            ? `${withdrawal.currency ?? 'Bank'}, ${withdrawal.approvals} of ${withdrawal.approvals_needed} approvals`
            : `${withdrawal.currency ?? 'Bank'}${withdrawal.status === 'Processing' ? ', to be paid' : ''}`,
        figure: formatUsd(withdrawal.amount),
      })}
      detail={(withdrawal, may) => (
        <>
          <SecondOperator {...withdrawal} />
          <Steps {...withdrawal} />
          <Facts>
            <PersonFact {...withdrawal} />
            <Fact name="Amount">{formatUsd(withdrawal.amount)}</Fact>
            <Fact name={withdrawal.method === 'bank' ? 'To' : `To (${withdrawal.currency})`}>
              {withdrawal.method === 'bank' ? withdrawal.wallet : <CopyText text={withdrawal.wallet} what="address" />}
            </Fact>
            <Approvals {...withdrawal} />
            <Fact name="Requested">{formatDateTime(withdrawal.created_at)}</Fact>
            {withdrawal.due_by && OPEN.includes(withdrawal.status) && (
              <Fact name="Due by">{formatDateTime(withdrawal.due_by)}</Fact>
            )}
            {withdrawal.reference && <Fact name="Reference">{withdrawal.reference}</Fact>}
            {withdrawal.reason && <Fact name="Reason">{withdrawal.reason}</Fact>}
          </Facts>
          {withdrawal.method === 'bank' && may && <Bank id={withdrawal.id} />}
        </>
      )}
      actions={actionsOf}
    />
  )
}

/** What an open withdrawal still takes: it stays selected from its approval until it is paid. */
function Steps({ status, amount, method, approvals, approvals_needed }: DeskWithdrawal) {
  if (!OPEN.includes(status)) return null
  const pays = status === 'Processing'
  const to = method === 'bank' ? 'the bank account' : 'the address'
  return (
    <ol className={styles.steps} aria-label="Steps">
      <li className={cx(pays && styles.stepDone)} aria-current={pays ? undefined : 'step'}>
        {pays ? 'Approved' : approvals_needed > 1 ? `Approve (${approvals} of ${approvals_needed})` : 'Approve'}
      </li>
      <li aria-current={pays ? 'step' : undefined}>
        Pay {formatUsd(amount)} to {to} below
      </li>
      <li>Mark as paid, with the reference</li>
    </ol>
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
  if (withdrawal.status !== 'Processing') return []
  return [
    {
      key: 'p',
      label: 'Mark as paid',
      look: 'primary',
      asks: { label: 'Reference', kind: 'text', hint: "The bank's payment reference or the transaction hash." },
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
