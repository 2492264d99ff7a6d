import { Link } from 'react-router'
import { Fact, formatUsd } from '#web/ui/index.ts'
import { send } from '../../api.ts'
import { ProposalScreen } from '../screen/proposal.tsx'

/** Deposit reversals: proposed by one finance operator on the deposit, decided here by another. */
export default function Reversals() {
  return (
    <ProposalScreen
      queue="reversals"
      line={(item) => ({ words: `by ${item.proposed_by.email}`, figure: formatUsd(item.amount) })}
      facts={(item) => (
        <>
          <Fact name="Deposit">
            <Link to={`/deposits/${item.deposit_id}?user=${item.user_id}`}>
              {formatUsd(item.credited)} by {item.method === 'card' ? 'card' : 'crypto'}
            </Link>
          </Fact>
          <Fact name="Already reversed">{formatUsd(item.reversed)}</Fact>
          <Fact name="Amount">{formatUsd(item.amount)}</Fact>
          <Fact name="Reference">{item.reference}</Fact>
        </>
      )}
      decision={({ id, email, amount }) => ({
        approve: () => send('POST /desk/reversals/:id/approve', { params: { id } }),
        approved: `${formatUsd(amount)} of the deposit of ${email} was reversed.`,
        reject: (reason) => send('POST /desk/reversals/:id/reject', { params: { id }, body: { reason } }),
        rejected: 'Rejected. The deposit stays credited.',
      })}
    />
  )
}
