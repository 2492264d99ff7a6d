import { Fact } from '#web/ui/index.ts'
import { call } from '../api.ts'
import { ProposalScreen } from './screen/proposal.tsx'

/** Keys of receipts that begin without the signature of the one before: proposed on the page of the settings, decided here. */
export default function ProofKeys() {
  return (
    <ProposalScreen
      queue="proof-keys"
      line={(item) => ({ words: `by ${item.proposed_by.email}` })}
      facts={(item) => <Fact name="Key">{item.key}</Fact>}
      decision={({ id }) => ({
        approve: () => call('POST /desk/proof-keys/:id/approve', { params: { id } }),
        approved: 'The key has begun. Receipts follow within a minute.',
        reject: (reason) => call('POST /desk/proof-keys/:id/reject', { params: { id }, body: { reason } }),
        rejected: 'Rejected. The key signs nothing.',
      })}
    />
  )
}
