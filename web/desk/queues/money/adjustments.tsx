import { Fact, formatUsdSigned } from '#web/ui/index.ts'
import { send } from '../../api.ts'
import { ProposalScreen } from '../screen/proposal.tsx'

/** Adjustments: proposed by one finance operator on a user's page, decided here by another. */
export default function Adjustments() {
  return (
    <ProposalScreen
      queue="adjustments"
      line={(item) => ({ words: `${item.book}, by ${item.proposed_by.email}`, figure: formatUsdSigned(item.amount) })}
      facts={(item) => (
        <>
          <Fact name="Account">{item.book}</Fact>
          <Fact name="Amount">{formatUsdSigned(item.amount)}</Fact>
        </>
      )}
      decision={({ id, email, amount }) => ({
        approve: () => send('POST /desk/adjustments/:id/approve', { params: { id } }),
        approved: `${formatUsdSigned(amount)} was applied to ${email}.`,
        reject: (reason) => send('POST /desk/adjustments/:id/reject', { params: { id }, body: { reason } }),
        rejected: 'The adjustment was rejected.',
      })}
    />
  )
}
