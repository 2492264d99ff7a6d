import type { DeskVenueSwitch } from '#contract/desk/markets/venue-switches.ts'
import { Fact, formatDateTime } from '#web/ui/index.ts'
import { call } from '../../api.ts'
import { ProposalScreen } from '../screen/proposal.tsx'

/**
 * Switches of exchanges: made on the page of feeds. Another operator decides here about those that would leave symbols
 * without a price, or that open real trades would feel.
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
      decision={({ id, venue, out }) => ({
        approve: () => call('POST /desk/venue-switches/:id/approve', { params: { id } }),
        approved: `Approved. ${venue} is ${out ? 'out' : 'in use'} once the open trades that end soon have ended.`,
        reject: (reason) => call('POST /desk/venue-switches/:id/reject', { params: { id }, body: { reason } }),
        rejected: `Rejected. ${venue} stays ${out ? 'in use' : 'out'}.`,
      })}
    />
  )
}

function effectOf({ out, symbols_lost, open_trades, counts_from }: DeskVenueSwitch): string {
  const effect = out ? 'Its prices no longer count.' : 'Its prices count again.'
  if (symbols_lost === null && open_trades === null) return `${effect} It took effect at once.`
  return [
    symbols_lost === null
      ? effect
      : `${symbols_lost} ${symbols_lost === 1 ? 'symbol has' : 'symbols have'} no price without it. No new trades on ${symbols_lost === 1 ? 'it' : 'them'} until it is put back.`,
    ...(open_trades === null
      ? []
      : [`${open_trades} open real ${open_trades === 1 ? 'trade' : 'trades'} used its prices when this was proposed.`]),
    ...(counts_from === undefined ? [] : [`It takes effect at ${formatDateTime(counts_from)}.`]),
  ].join(' ')
}
