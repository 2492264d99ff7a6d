import { Link } from 'react-router'
import type { DeskUnknownDeposit } from '#contract/desk/money/unknown-deposits.ts'
import { QUEUES } from '#contract/desk/terms.ts'
import { Alert, CopyText, Fact, Facts, formatCoin, formatDateTime, formatPrice, formatUsd } from '#web/ui/index.ts'
import { call, send } from '../../api.ts'
import { useMay } from '../../session.ts'
import type { Action } from '../screen/item.ts'
import { QueueScreen } from '../screen/queue-screen.tsx'
import { SecondOperator } from '../screen/second-operator.tsx'
import { RecordCoins } from './record-coins.tsx'

/** Payments that belong to no known deposit: assigned to a trader, or sent back, each by two people. */
export default function UnknownDeposits() {
  const may = useMay(QUEUES['unknown-deposits'].acts)
  return (
    <QueueScreen
      queue="unknown-deposits"
      above={may && <RecordCoins />}
      line={(found) => ({ words: sourceOf(found), figure: formatUsd(found.amount) })}
      detail={(found) => (
        <>
          {found.status === 'Proposed' && found.returned && (
            <>
              <Alert kind="warning">
                {found.returned.email} proposed that this was sent back: {found.returned.reason} A second operator
                checks it, and completes it or assigns the payment.
              </Alert>
              <SecondOperator roles={QUEUES['unknown-deposits'].acts} by={found.returned.operator_id} />
            </>
          )}
          {found.status === 'Assigned' && (
            <Alert kind="info">
              Assigned. Another operator approves the deposit; once it's rejected, this opens again.
            </Alert>
          )}
          <UnknownFacts {...found} />
        </>
      )}
      blocked={(found, me) =>
        found.status === 'Proposed' && found.returned?.operator_id === me
          ? 'You proposed that this was sent back. A second operator decides.'
          : undefined
      }
      actions={actionsOf}
    />
  )
}

const sourceOf = ({ currency, coin_amount }: DeskUnknownDeposit) =>
  currency === null ? 'Card payment' : formatCoin(coin_amount ?? 0, currency)

function UnknownFacts(found: DeskUnknownDeposit) {
  const { assigned, returned, recorded_by } = found
  return (
    <Facts>
      <Fact name="Arrived">
        {sourceOf(found)}, {formatDateTime(found.arrived_at)}
      </Fact>
      <Fact name={found.currency === null ? 'Payment' : 'Transaction'}>
        <CopyText text={found.reference} what={found.currency === null ? 'payment' : 'transaction'} />
      </Fact>
      {found.address && (
        <Fact name="At">
          <CopyText text={found.address} what="address" />
        </Fact>
      )}
      {found.rate && <Fact name="Rate then">{formatPrice(found.rate)} USD, of the tape</Fact>}
      <Fact name="Worth">{formatUsd(found.amount)}</Fact>
      {recorded_by && (
        <Fact name="Recorded by">
          {recorded_by.email}, {formatDateTime(found.created_at)}
        </Fact>
      )}
      {assigned && (
        <Fact name="Assigned">
          <Link to={`/deposits/${assigned.deposit_id}?user=${assigned.user_id}`}>Deposit {assigned.deposit_id}</Link> of{' '}
          {assigned.trader}, by {assigned.email}
        </Fact>
      )}
      {found.status === 'Returned' && returned && <Fact name="Sent back">{returned.reason}</Fact>}
    </Facts>
  )
}

function actionsOf({ id, status, amount, returned }: DeskUnknownDeposit): Action[] {
  if (status !== 'Open' && status !== 'Proposed') return []
  const params = { id }
  const sendBack = async (reason: string) => {
    const { data } = await send('POST /desk/unknown-deposits/:id/send-back', { params, body: { reason } })
    return data.status === 'Returned' ? 'Closed as sent back.' : 'Proposed. Another operator completes it.'
  }
  return [
    {
      key: 'a',
      label: 'Assign to a trader',
      look: 'primary',
      asks: {
        label: 'Address or number of the trader',
        kind: 'text',
        hint: `Another operator approves the deposit of ${formatUsd(amount)}.`,
      },
      run: async (user) => {
        const { data } = await call('POST /desk/unknown-deposits/:id/assign', { params, body: { user } })
        return `Assigned to ${data.assigned?.trader}. Another operator approves it in Deposits.`
      },
    },
    status === 'Proposed' && returned
      ? {
          key: 'r',
          label: 'Complete the return',
          look: 'danger',
          asks: { label: `Confirm that it was sent back: ${returned.reason}`, kind: 'confirm' },
          run: () => sendBack(returned.reason),
        }
      : {
          key: 'r',
          label: 'Sent back',
          look: 'danger',
          asks: {
            label: 'How it was sent back',
            kind: 'long',
            hint: 'To whom, with the id of the refund or transaction. Another operator completes it.',
          },
          run: sendBack,
        },
  ]
}
