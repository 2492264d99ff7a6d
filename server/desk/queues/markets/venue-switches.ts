import { DeskVenueSwitch } from '#contract/desk/markets/venue-switches.ts'
import { QUEUES } from '#contract/desk/terms.ts'
import { must } from '#kernel/must.ts'
import { type Ms, toIso } from '#kernel/time.ts'
import { sql } from '../../../platform/database/db.ts'
import { approveSwitch, lockVenueSwitches, type SwitchProposal } from '../../../prices/index.ts'
import { defineProposal } from '../../actions/define-proposal.ts'
import { openTradesOn } from '../../risk/venues.ts'

interface VenueSwitchColumns {
  effective_from: Ms | null
  status: DeskVenueSwitch['status']
}

/**
 * Switches of exchanges: made on the page of feeds. The subject is the exchange. A second operator decides those that
 * would leave symbols without a price, or change how the price of open real trades is made; the latter count once those
 * that end soon have ended. The list has those of one operator too.
 */
export const venueSwitches = defineProposal({
  kind: 'venue-switches',
  of: QUEUES['venue-switches'].of,
  schema: DeskVenueSwitch,
  async lock(tx) {
    await lockVenueSwitches(tx)
    return undefined
  },
  async apply(deps, tx, { id, subject, payload }) {
    const { lastEnd } = await openTradesOn(deps, tx, must(subject))
    await approveSwitch(tx, { id, venue: must(subject), isOut: payload.is_out, lastEnd })
    tx.afterCommit(() => deps.prices.operatorsChanged(), { once: 'venues' })
  },
  facts: ({ subject, payload }: { subject: string | null; payload: SwitchProposal }) => ({
    venue: subject,
    out: payload.is_out,
    symbols_lost: payload.symbols_lost,
    open_trades: payload.open_trades,
  }),
  list: {
    columns: sql`s.effective_from`,
    joins: sql`left join venue_switches s on s.id = r.id and s.switched_by is null`,
    others: sql`
      select 'venue-switches', id, venue, jsonb_build_object('is_out', is_out, 'symbols_lost', null, 'open_trades', null),
        reason, 'Done', switched_by, switched_at, null, null, null
      from venue_switches where switched_by is not null`,
  },
  view({ subject, payload, effective_from }: VenueSwitchColumns & { subject: string | null; payload: SwitchProposal }) {
    const venue = must(subject)
    return {
      venue,
      out: payload.is_out,
      name: payload.is_out ? `Take ${venue} out` : `Put ${venue} back`,
      symbols_lost: payload.symbols_lost,
      open_trades: payload.open_trades,
      ...(effective_from === null ? {} : { counts_from: toIso(effective_from) }),
    }
  },
})
