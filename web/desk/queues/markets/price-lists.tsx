import { Fact } from '#web/ui/index.ts'
import { call } from '../../api.ts'
import { DocumentView } from '../../price-lists/document-view.tsx'
import { DryRunView } from '../../price-lists/dry-run-view.tsx'
import { ProposalScreen } from '../screen/proposal.tsx'

/** Price lists: proposed by one admin with a dry run, decided here by another. */
export default function PriceListChanges() {
  return (
    <ProposalScreen
      queue="price-lists"
      line={(item) => ({ words: `by ${item.proposed_by.email}` })}
      facts={({ document, before, dry_run, version, acknowledged }) => (
        <>
          <Fact name="Proposed lists">
            <DocumentView document={document} />
          </Fact>
          <Fact name="Lists before">
            <DocumentView document={before} />
          </Fact>
          <Fact name="Dry run">
            <DryRunView run={dry_run} document={document} />
          </Fact>
          {version !== null && <Fact name="Version">{version}</Fact>}
          {acknowledged !== null && <Fact name="Approved in spite of the edge">{acknowledged}</Fact>}
        </>
      )}
      decision={({ id, dry_run }) => ({
        approve: (acknowledged) =>
          call('POST /desk/price-lists/:id/approve', {
            params: { id },
            body: { acknowledged: acknowledged ?? null },
          }),
        ...(dry_run.edge && { acknowledges: 'Why you approve lists that give traders an edge' }),
        approved: 'The lists apply in five seconds.',
        reject: (reason) => call('POST /desk/price-lists/:id/reject', { params: { id }, body: { reason } }),
        rejected: 'Rejected. The lists stay as they are.',
      })}
    />
  )
}
