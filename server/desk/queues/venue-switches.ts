import type { VENUE_SWITCH_STATUSES } from '#contract/desk/terms.ts'
import { QUEUES } from '#contract/desk/terms.ts'
import { DeskVenueSwitch, type venueSwitchCalls } from '#contract/desk/venue-switches.ts'
import { sql } from '../../platform/database/db.ts'
import { decideSwitch, findSwitch, lockVenueSwitches } from '../../prices/index.ts'
import {
  type Proposal,
  type ProposalColumns,
  type ProposalKind,
  proposalColumns,
  proposalFields,
  proposalJoins,
} from '../actions/proposals.ts'
import type { DeskDeps } from '../deps.ts'
import { filtered, inOrder } from '../lists/read.ts'
import { openTradesOn } from '../risk/venues.ts'
import { oneOf, type Proposed } from './queue.ts'

interface VenueSwitchRow extends ProposalColumns<(typeof VENUE_SWITCH_STATUSES)[number]> {
  id: string
  venue: string
  is_out: boolean
  symbols_lost: number | null
  open_trades: number | null
  effective_from: string | null
}

interface VenueSwitch extends Proposal {
  venue: string
  is_out: boolean
  open_trades: number | null
  symbols_lost: number | null
}

/**
 * Switches of exchanges: made on the page of feeds. A second operator decides those that would leave symbols without a
 * price, or change how the price of open real trades is made; the latter count once those that end soon have ended.
 */
export const venueSwitches: Proposed<'venue-switches', keyof typeof venueSwitchCalls, VenueSwitchRow, VenueSwitch> = {
  name: 'venue-switches',
  schema: DeskVenueSwitch,
  pending: sql`select id, proposed_at, 0 from venue_switches where status = 'Pending'`,
  rows: (filter, page) => sql`
    select s.id::text, s.venue, s.is_out, s.symbols_lost, s.open_trades,
      to_json(to_timestamp(s.effective_from / 1000.0) at time zone 'UTC')#>>'{}' || 'Z' as effective_from, ${proposalColumns('s')}
    from venue_switches s ${proposalJoins('s')}
    where ${filtered('s', filter, page)}
    ${inOrder('s.id', page)}`,
  view: (row, who) => ({
    id: row.id,
    venue: row.venue,
    out: row.is_out,
    name: row.is_out ? `Take ${row.venue} out` : `Put ${row.venue} back`,
    symbols_lost: row.symbols_lost,
    open_trades: row.open_trades,
    ...(row.effective_from === null ? {} : { counts_from: row.effective_from }),
    ...proposalFields(row),
    own: row.proposer === String(who.operatorId),
  }),
  kind: venueSwitchKind,
}

function venueSwitchKind(deps: DeskDeps): ProposalKind<VenueSwitch, DeskVenueSwitch> {
  return {
    name: 'venue-switches',
    of: QUEUES['venue-switches'].of,
    async lock(tx, id) {
      await lockVenueSwitches(tx)
      return findSwitch(tx, id)
    },
    async store(tx, { id, venue }, decision, who) {
      const stored =
        decision.status === 'Approved'
          ? { ...decision, lastEnd: (await openTradesOn(deps, tx, venue)).lastEnd }
          : decision
      await decideSwitch(tx, id, stored, who.operatorId)
    },
    async carryOut(tx) {
      tx.afterCommit(() => deps.prices.operatorsChanged(), { once: 'venues' })
      return undefined
    },
    facts: ({ venue, is_out, symbols_lost, open_trades }) => ({ venue, out: is_out, symbols_lost, open_trades }),
    show: async (tx, who, id) => (await oneOf({ ...deps, db: tx }, venueSwitches, who, id))!,
  }
}
