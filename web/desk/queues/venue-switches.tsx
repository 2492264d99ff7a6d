import type { DeskVenueSwitch } from '#contract/desk/venue-switches.ts'
import { Fact } from '#web/ui/index.ts'
import { call } from '../api.ts'
import { ProposalScreen } from '../queue/proposal.tsx'

/**
 * Switches of exchanges: made on the page of feeds. Another operator decides here about those that would leave symbols
 * without a price.
 */
export default function VenueSwitches() {
  return (
    <ProposalScreen
      queue="venue-switches"
      line={(item) => ({ words: `by ${item.proposed_by.email}` })}
      facts={(item) => (
        <>
          <Fact name="Exchange">{item.venue}</Fact>
          <Fact name="Effect">{effectOf(item)}</Fact>
        </>
      )}
      decision={({ id, venue }) => ({
        approve: () => call('POST /desk/venue-switches/:id/approve', { params: { id } }),
        approved: `${venue} is out.`,
        reject: (reason) => call('POST /desk/venue-switches/:id/reject', { params: { id }, body: { reason } }),
        rejected: `Rejected. ${venue} stays in use.`,
      })}
    />
  )
}

function effectOf({ out, symbols_lost }: DeskVenueSwitch): string {
  if (!out) return 'Its prices count again. It took effect at once.'
  if (symbols_lost === null) return 'Its prices no longer count. It took effect at once: every symbol kept its price.'
  return `${symbols_lost} ${symbols_lost === 1 ? 'symbol has' : 'symbols have'} no price without it. No new trades on ${symbols_lost === 1 ? 'it' : 'them'} until it is put back.`
}
