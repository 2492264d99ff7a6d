import { DeskPayoutResumption } from '#contract/desk/money/reconciliation.ts'
import { QUEUES } from '#contract/desk/terms.ts'
import { Problem } from '#contract/problem.ts'
import { must } from '#kernel/must.ts'
import { payoutHalt, refuseStandingDifference, resumePayouts } from '../../../cashier/index.ts'
import { sql } from '../../../platform/database/db.ts'
import type { WhoOperates } from '../../../platform/http/index.ts'
import { defineProposal, subjectId } from '../../actions/define-proposal.ts'
import type { DeskDeps } from '../../deps.ts'
import { isoOf } from '../../lists/read.ts'

/** Resuming payouts: proposed by one finance operator on the page of the reconciliation. The subject is the halt. */
export const payoutResumptions = defineProposal({
  kind: 'payout-resumptions',
  of: QUEUES['payout-resumptions'].of,
  schema: DeskPayoutResumption,
  waiting: () => 'Resuming has already been proposed. Ask another operator to decide.',
  apply: (_, tx, { subject }) => resumePayouts(tx, BigInt(must(subject))),
  facts: ({ subject }) => ({ halt: subject }),
  list: {
    columns: sql`h.started_at as halted_at`,
    joins: sql`join payout_halts h on h.id = ${subjectId('payout-resumptions')}`,
  },
  view: (row: { halted_at: string }) => ({ halted_at: isoOf(row.halted_at) }),
})

/** Proposes to resume payouts. Throws `wrong_state` while they run, while the books differ, or if it is proposed already. */
export const proposePayoutResumption = (deps: DeskDeps, who: WhoOperates, { reason }: { reason: string }) =>
  payoutResumptions.propose(deps, who, async (tx) => {
    const halt = await payoutHalt(tx)
    if (!halt) throw new Problem('wrong_state', "Payouts aren't halted.")
    refuseStandingDifference(halt)
    return { subject: String(halt.id), payload: {}, reason }
  })
