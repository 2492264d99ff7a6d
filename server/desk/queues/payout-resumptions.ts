import { DeskPayoutResumption, type reconciliationCalls } from '#contract/desk/reconciliation.ts'
import { QUEUES } from '#contract/desk/terms.ts'
import { Problem } from '#contract/problem.ts'
import { payoutHalt, refuseStandingDifference, resumePayouts } from '../../cashier/index.ts'
import { sql } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import {
  decided,
  type Proposal,
  type ProposalColumns,
  type ProposalKind,
  proposalColumns,
  proposalFields,
  proposalJoins,
  proposed,
} from '../actions/proposals.ts'
import { audited } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { filtered, inOrder, isoOf } from '../lists/read.ts'
import { oneOf, type Proposed } from './queue.ts'

interface PayoutResumptionRow extends ProposalColumns {
  id: string
  halted_at: string
}

interface PayoutResumption extends Proposal {
  halt_id: bigint
}

/** Proposals to resume payouts: made by one finance operator on the page of the reconciliation, decided by another. */
export const payoutResumptions: Proposed<
  'payout-resumptions',
  Exclude<keyof typeof reconciliationCalls, 'GET /desk/reconciliation' | 'POST /desk/solvency'>,
  PayoutResumptionRow,
  PayoutResumption
> = {
  name: 'payout-resumptions',
  schema: DeskPayoutResumption,
  pending: sql`select id, proposed_at, 0 from payout_resumptions where status = 'Pending'`,
  rows: (filter, page) => sql`
    select r.id::text, h.started_at as halted_at, ${proposalColumns('r')}
    from payout_resumptions r join payout_halts h on h.id = r.halt_id ${proposalJoins('r')}
    where ${filtered('r', filter, page)}
    ${inOrder('r.id', page)}`,
  view: (row, who) => ({
    id: row.id,
    halted_at: isoOf(row.halted_at),
    ...proposalFields(row),
    own: row.proposer === String(who.operatorId),
  }),
  kind: payoutResumptionKind,
}

function payoutResumptionKind(deps: DeskDeps): ProposalKind<PayoutResumption, DeskPayoutResumption> {
  return {
    name: 'payout-resumptions',
    of: QUEUES['payout-resumptions'].of,
    lock: (tx, id) =>
      tx.selectFrom('payout_resumptions').selectAll().where('id', '=', id).forUpdate().executeTakeFirst(),
    store: (tx, { id }, decision, who) =>
      tx.updateTable('payout_resumptions').set(decided(decision, who)).where('id', '=', id).execute(),
    async carryOut(tx, { halt_id }) {
      await resumePayouts(tx, halt_id)
      return undefined
    },
    facts: ({ halt_id }) => ({ halt: String(halt_id) }),
    show: async (tx, who, id) => (await oneOf({ ...deps, db: tx }, payoutResumptions, who, id))!,
  }
}

/** Proposes to resume payouts. Throws `wrong_state` while they run, while the books differ, or if it is proposed already. */
export function proposePayoutResumption(
  deps: DeskDeps,
  who: WhoOperates,
  { reason }: { reason: string },
): Promise<DeskPayoutResumption> {
  return audited(deps.db, who, async (tx) => {
    const halt = await payoutHalt(tx)
    if (!halt) throw new Problem('wrong_state', "Payouts aren't halted.")
    refuseStandingDifference(halt)
    const row = await tx
      .insertInto('payout_resumptions')
      .values({ halt_id: halt.id, reason: reason.toWellFormed(), proposed_by: who.operatorId })
      // A literal: with a parameter, a prepared statement does not find the partial index.
      .onConflict((conflict) => conflict.column('halt_id').where('status', '=', sql.lit('Pending')).doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!row) throw new Problem('wrong_state', 'Resuming has already been proposed. Ask another operator to decide.')
    return proposed(tx, who, payoutResumptionKind(deps), row.id, {
      after: { status: 'Pending', halt: String(halt.id) },
      why: reason,
    })
  })
}
