import { Fact, formatDateTime } from '#web/ui/index.ts'
import { call } from '../../api.ts'
import { leverName } from '../../parts/lever-name.ts'
import { ProposalScreen } from '../screen/proposal.tsx'

/** Releases of emergency levers: proposed by one operator on the page of the emergency, decided here by another. */
export default function LeverReleases() {
  return (
    <ProposalScreen
      queue="lever-releases"
      line={(item) => ({ words: `${leverName(item)}, by ${item.proposed_by.email}` })}
      facts={(item) => (
        <>
          <Fact name="Lever">{leverName(item)}</Fact>
          <Fact name="Pulled">
            {formatDateTime(item.pulled_at)} by {item.pulled_by.email}
          </Fact>
          <Fact name="Pulled because">{item.why}</Fact>
          {item.notice !== null && <Fact name="Notice">{item.notice}</Fact>}
        </>
      )}
      decision={(item) => ({
        approve: () => call('POST /desk/lever-releases/:id/approve', { params: { id: item.id } }),
        approved: `Released: ${leverName(item)}.`,
        reject: (reason) => call('POST /desk/lever-releases/:id/reject', { params: { id: item.id }, body: { reason } }),
        rejected: `Rejected. It stays: ${leverName(item)}.`,
      })}
    />
  )
}
