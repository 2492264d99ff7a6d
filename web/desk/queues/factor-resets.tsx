import type { DeskFactorReset } from '#contract/desk/factor-resets.ts'
import { Fact, Facts, formatDateTime } from '#web/ui/index.ts'
import { call } from '../api.ts'
import { PersonFact } from '../parts/person-fact.tsx'
import type { QueueItem } from '../queue/item.ts'
import { QueueScreen } from '../queue/queue-screen.tsx'
import { useMay, useSession } from '../session.ts'

type Item = DeskFactorReset & QueueItem

/** Resets aren't claimed: any compliance operator other than the proposer decides them. */
const asItem = (reset: DeskFactorReset): Item => ({ ...reset, claimed_by: null, flags: [] })

/** Second-factor resets: proposed by one compliance operator on a user's page, decided here by another. */
export default function FactorResets() {
  const may = useMay('compliance')
  const me = useSession((state) => state.operator?.id)
  return (
    <QueueScreen<Item>
      queue="factor-resets"
      title="Second factor resets"
      of="second factor reset"
      statuses={['Pending', 'Approved', 'Stopped', 'Done', 'Rejected']}
      waiting="Pending"
      may={may}
      blocked={(item) =>
        item.proposed_by.operator_id === me ? 'You proposed this. Ask another operator to decide.' : undefined
      }
      read={async (query, signal) => {
        const answer = await call('GET /desk/factor-resets', { query: query as { status: 'Pending' }, signal })
        return { ...answer, data: answer.data.map(asItem) }
      }}
      line={(item) => ({ words: `by ${item.proposed_by.email}`, figure: '' })}
      detail={(item) => (
        <Facts>
          <PersonFact {...item} />
          <Fact name="Why">{item.reason}</Fact>
          <Fact name="Proposed">
            {item.proposed_by.email}, {formatDateTime(item.created_at)}
          </Fact>
          {item.decided_by && (
            <Fact name={item.status === 'Rejected' ? 'Rejected' : 'Approved'}>
              {item.decided_by.email}
              {item.decided_at && `, ${formatDateTime(item.decided_at)}`}
            </Fact>
          )}
          {item.decision_reason && <Fact name="Reason">{item.decision_reason}</Fact>}
          {item.due_at && <Fact name="Takes effect">{formatDateTime(item.due_at)}</Fact>}
          {item.ended_at && (
            <Fact name={item.status === 'Stopped' ? 'Stopped by the trader' : 'Removed'}>
              {formatDateTime(item.ended_at)}
            </Fact>
          )}
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
                  await call('POST /desk/factor-resets/:id/approve', { params: { id: item.id } })
                  return `Approved. ${item.email} was e-mailed and can stop it for 24 hours.`
                },
              },
              {
                key: 'r',
                label: 'Reject',
                look: 'danger',
                asks: { label: 'Reason', kind: 'long' },
                run: async (reason) => {
                  await call('POST /desk/factor-resets/:id/reject', { params: { id: item.id }, body: { reason } })
                  return 'Rejected. The second factor stays.'
                },
              },
            ]
      }
    />
  )
}
