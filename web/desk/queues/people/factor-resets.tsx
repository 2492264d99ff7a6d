import { Fact, formatDateTime } from '#web/ui/index.ts'
import { call } from '../../api.ts'
import { ProposalScreen } from '../screen/proposal.tsx'

/** Second factor resets: proposed by one compliance operator on a user's page, decided here by another. */
export default function FactorResets() {
  return (
    <ProposalScreen
      queue="factor-resets"
      line={(item) => ({ words: `by ${item.proposed_by.email}`, figure: '' })}
      outcome={(item) => (
        <>
          {item.due_at && <Fact name="Takes effect">{formatDateTime(item.due_at)}</Fact>}
          {item.ended_at && (
            <Fact name={item.status === 'Stopped' ? 'Stopped by the trader' : 'Removed'}>
              {formatDateTime(item.ended_at)}
            </Fact>
          )}
        </>
      )}
      decision={({ id, email }) => ({
        approve: () => call('POST /desk/factor-resets/:id/approve', { params: { id } }),
        approved: `Approved. ${email} was e-mailed and can stop it for 24 hours.`,
        reject: (reason) => call('POST /desk/factor-resets/:id/reject', { params: { id }, body: { reason } }),
        rejected: 'Rejected. The second factor stays.',
      })}
    />
  )
}
