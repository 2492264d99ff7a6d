import type { DeskAdjustment } from '#contract/desk/adjustments.ts'
import { Fact, Facts, formatDateTime, formatUsdSigned } from '#web/ui/index.ts'
import { call, send } from '../api.ts'
import { PersonFact } from '../parts/person-fact.tsx'
import type { QueueItem } from '../queue/item.ts'
import { QueueScreen } from '../queue/queue-screen.tsx'
import { useMay, useSession } from '../session.ts'

type Item = DeskAdjustment & QueueItem

/** Adjustments aren't claimed: any operator other than the proposer decides them. */
const asItem = (adjustment: DeskAdjustment): Item => ({ ...adjustment, claimed_by: null, flags: [] })

/** Adjustments: proposed by one finance operator on a user's page, decided here by another. */
export default function Adjustments() {
  const may = useMay('finance')
  const me = useSession((state) => state.operator?.id)
  return (
    <QueueScreen<Item>
      queue="adjustments"
      title="Adjustments"
      of="adjustment"
      statuses={['Pending', 'Approved', 'Rejected']}
      waiting="Pending"
      may={may}
      blocked={(item) =>
        item.proposed_by.operator_id === me ? 'You proposed this. A second person decides.' : undefined
      }
      read={async (query, signal) => {
        const answer = await call('GET /desk/adjustments', { query: query as { status: 'Pending' }, signal })
        return { ...answer, data: answer.data.map(asItem) }
      }}
      line={(item) => ({ words: `${item.book}, by ${item.proposed_by.email}`, figure: formatUsdSigned(item.amount) })}
      detail={(item) => (
        <Facts>
          <PersonFact {...item} />
          <Fact name="Book">{item.book}</Fact>
          <Fact name="Amount">{formatUsdSigned(item.amount)}</Fact>
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
                  await send('POST /desk/adjustments/:id/approve', { params: { id: item.id } })
                  return `${formatUsdSigned(item.amount)} for ${item.email}: done.`
                },
              },
              {
                key: 'r',
                label: 'Reject',
                look: 'danger',
                asks: { label: 'Reason', kind: 'long' },
                run: async (reason) => {
                  await send('POST /desk/adjustments/:id/reject', { params: { id: item.id }, body: { reason } })
                  return 'The adjustment was rejected.'
                },
              },
            ]
      }
    />
  )
}
