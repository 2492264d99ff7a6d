import type { Parsed } from '#contract/api.ts'
import { DeskStrategyRestart, type strategyRestartCalls } from '#contract/desk/strategy-restarts.ts'
import { QUEUES } from '#contract/desk/terms.ts'
import { Problem } from '#contract/problem.ts'
import type { StrategyId } from '#contract/terms.ts'
import { isSwitchedOff, switchOn } from '../../automatic/index.ts'
import { sql } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { strategyOf } from '../../strategies/index.ts'
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
import { filtered, inOrder } from '../lists/read.ts'
import { oneOf, type Proposed } from './queue.ts'

interface StrategyRestartRow extends ProposalColumns {
  id: string
  strategy: StrategyId
}

interface StrategyRestart extends Proposal {
  strategy: StrategyId
}

/** Strategy restarts: proposed by one risk operator on the page of automatic trades, decided by another. */
export const strategyRestarts: Proposed<
  'strategy-restarts',
  keyof typeof strategyRestartCalls,
  StrategyRestartRow,
  StrategyRestart
> = {
  name: 'strategy-restarts',
  schema: DeskStrategyRestart,
  pending: sql`select id, proposed_at, 0 from strategy_restarts where status = 'Pending'`,
  rows: (filter, page) => sql`
    select r.id::text, r.strategy, ${proposalColumns('r')}
    from strategy_restarts r ${proposalJoins('r')}
    where ${filtered('r', filter, page)}
    ${inOrder('r.id', page)}`,
  view: (row, who) => ({
    id: row.id,
    strategy: row.strategy,
    name: strategyOf(row.strategy).name,
    ...proposalFields(row),
    own: row.proposer === String(who.operatorId),
  }),
  kind: strategyRestartKind,
}

function strategyRestartKind(deps: DeskDeps): ProposalKind<StrategyRestart, DeskStrategyRestart> {
  return {
    name: 'strategy-restarts',
    of: QUEUES['strategy-restarts'].of,
    lock: (tx, id) =>
      tx.selectFrom('strategy_restarts').selectAll().where('id', '=', id).forUpdate().executeTakeFirst(),
    store: (tx, { id }, decision, who) =>
      tx.updateTable('strategy_restarts').set(decided(decision, who)).where('id', '=', id).execute(),
    async carryOut(tx, { strategy }) {
      await switchOn(tx, strategy)
      return undefined
    },
    facts: ({ strategy }) => ({ strategy }),
    show: async (tx, who, id) => (await oneOf({ ...deps, db: tx }, strategyRestarts, who, id))!,
  }
}

/** Proposes to switch a strategy on. Throws `wrong_state` if it is on, or proposed already. */
export function proposeStrategyRestart(
  deps: DeskDeps,
  who: WhoOperates,
  { strategy, reason }: Parsed<'POST /desk/strategy-restarts', 'body'>,
): Promise<DeskStrategyRestart> {
  return audited(deps.db, who, async (tx) => {
    const row = await tx
      .insertInto('strategy_restarts')
      .values({ strategy, reason: reason.toWellFormed(), proposed_by: who.operatorId })
      // A literal: with a parameter, a prepared statement does not find the partial index.
      .onConflict((conflict) => conflict.column('strategy').where('status', '=', sql.lit('Pending')).doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!row)
      throw new Problem('wrong_state', 'Switching it on has already been proposed. Ask another operator to decide.')
    // After the insert, which waits for a decision about the same strategy.
    if (!(await isSwitchedOff(tx, strategy))) throw new Problem('wrong_state', 'This strategy is on.')
    return proposed(tx, who, strategyRestartKind(deps), row.id, { after: { status: 'Pending', strategy }, why: reason })
  })
}
