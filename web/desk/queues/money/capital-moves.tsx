import { Fact, formatUsdSigned } from '#web/ui/index.ts'
import { send } from '../../api.ts'
import { ProposalScreen } from '../screen/proposal.tsx'

/** Movements of the house's capital: proposed by one admin on the page of exposure, decided here by another. */
export default function CapitalMoves() {
  return (
    <ProposalScreen
      queue="capital-moves"
      line={(item) => ({
        words: `${item.amount > 0 ? 'Paid in' : 'Taken out'}, by ${item.proposed_by.email}`,
        figure: formatUsdSigned(item.amount),
      })}
      facts={(item) => (
        <>
          <Fact name="Amount">{formatUsdSigned(item.amount)}</Fact>
          <Fact name="Reference">{item.reference}</Fact>
        </>
      )}
      decision={({ id, amount }) => ({
        approve: () => send('POST /desk/capital-moves/:id/approve', { params: { id } }),
        approved: `${formatUsdSigned(amount)} was recorded in the house's capital.`,
        reject: (reason) => send('POST /desk/capital-moves/:id/reject', { params: { id }, body: { reason } }),
        rejected: 'The movement was rejected.',
      })}
    />
  )
}
