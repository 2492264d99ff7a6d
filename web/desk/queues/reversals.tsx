import { Link } from 'react-router'
import type { DeskReversal } from '#contract/desk/reversals.ts'
import { Fact, Facts, formatDateTime, formatUsd } from '#web/ui/index.ts'
import { call, send } from '../api.ts'
import { PersonFact } from '../parts/person-fact.tsx'
import type { QueueItem } from '../queue/item.ts'
import { QueueScreen } from '../queue/queue-screen.tsx'
import { useMay, useSession } from '../session.ts'

type Item = DeskReversal & QueueItem

/** Reversals aren't claimed: any finance operator other than the proposer decides them. */
const asItem = (reversal: DeskReversal): Item => ({ ...reversal, claimed_by: null, flags: [] })

/** Deposit reversals: proposed by one finance operator on the deposit, decided here by another. */
export default function Reversals() {
  const may = useMay('finance')
  const me = useSession((state) => state.operator?.id)
  return (
    <QueueScreen<Item>
      queue="reversals"
      title="Reversals"
      of="reversal"
      statuses={['Pending', 'Approved', 'Rejected']}
      waiting="Pending"
      may={may}
      blocked={(item) =>
        item.proposed_by.operator_id === me ? 'You proposed this. Ask another operator to decide.' : undefined
      }
      read={async (query, signal) => {
        const answer = await call('GET /desk/reversals', { query: query as { status: 'Pending' }, signal })
        return { ...answer, data: answer.data.map(asItem) }
      }}
      line={(item) => ({ words: `by ${item.proposed_by.email}`, figure: formatUsd(item.amount) })}
      detail={(item) => (
        <Facts>
          <PersonFact {...item} />
          <Fact name="Deposit">
            <Link to={`/deposits/${item.deposit_id}?user=${item.user_id}`}>
              {formatUsd(item.credited)} by {item.method === 'card' ? 'card' : 'coins'}
            </Link>
          </Fact>
          <Fact name="Already reversed">{formatUsd(item.reversed)}</Fact>
          <Fact name="Amount">{formatUsd(item.amount)}</Fact>
          <Fact name="Reference">{item.reference}</Fact>
          <Fact name="Why">{item.reason}</Fact>
          <Fact name="Proposed">
            {item.proposed_by.email}, {formatDateTime(item.created_at)}
          </Fact>
          {item.decided_by && (
            <Fact name={item.status}>
              {item.decided_by.email}
              {item.decided_at && `, ${formatDateTime(item.decided_at)}`}
            </Fact>
          )}
          {item.decision_reason && <Fact name="Reason">{item.decision_reason}</Fact>}
        </Facts>
      )}
      actions={(item) =>
        item.status !== 'Pending'
          ? []
          : [
              {
                key: 'a',
                label: 'Approve',
                look: 'primary',
                run: async () => {
                  await send('POST /desk/reversals/:id/approve', { params: { id: item.id } })
                  return `${formatUsd(item.amount)} of the deposit of ${item.email} was reversed.`
                },
              },
              {
                key: 'r',
                label: 'Reject',
                look: 'danger',
                asks: { label: 'Reason', kind: 'long' },
                run: async (reason) => {
                  await send('POST /desk/reversals/:id/reject', { params: { id: item.id }, body: { reason } })
                  return 'Rejected. The deposit stays credited.'
                },
              },
            ]
      }
    />
  )
}
