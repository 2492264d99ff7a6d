import { Fact, formatDateTime } from '#web/ui/index.ts'
import { call } from '../../api.ts'
import { ProposalScreen } from '../screen/proposal.tsx'

/** Proposals to resume payouts: made by one finance operator on the page of the reconciliation, decided by another. */
export default function PayoutResumptions() {
  return (
    <ProposalScreen
      queue="payout-resumptions"
      line={(item) => ({ words: `by ${item.proposed_by.email}` })}
      facts={(item) => <Fact name="Halted since">{formatDateTime(item.halted_at)}</Fact>}
      decision={({ id }) => ({
        approve: () => call('POST /desk/payout-resumptions/:id/approve', { params: { id } }),
        approved: 'Payouts have resumed.',
        reject: (reason) => call('POST /desk/payout-resumptions/:id/reject', { params: { id }, body: { reason } }),
        rejected: 'Rejected. Payouts stay halted.',
      })}
    />
  )
}
