import { Fact } from '#web/ui/index.ts'
import { call } from '../../api.ts'
import { ProposalScreen } from '../screen/proposal.tsx'

/** Strategy restarts: proposed by one risk operator on the page of automatic trades, decided here by another. */
export default function StrategyRestarts() {
  return (
    <ProposalScreen
      queue="strategy-restarts"
      line={(item) => ({ words: `by ${item.proposed_by.email}` })}
      facts={(item) => <Fact name="Strategy">{item.name}</Fact>}
      decision={({ id, name }) => ({
        approve: () => call('POST /desk/strategy-restarts/:id/approve', { params: { id } }),
        approved: `${name} is on.`,
        reject: (reason) => call('POST /desk/strategy-restarts/:id/reject', { params: { id }, body: { reason } }),
        rejected: `Rejected. ${name} stays off.`,
      })}
    />
  )
}
