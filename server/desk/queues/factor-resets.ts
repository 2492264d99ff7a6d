import { DeskFactorReset, type factorResetCalls } from '#contract/desk/factor-resets.ts'
import { QUEUES } from '#contract/desk/terms.ts'
import { approveFactorReset, factorResetById, proposeFactorReset, rejectFactorReset } from '../../identity/index.ts'
import { sql } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { isOwn, refuseOwn } from '../actions/items.ts'
import {
  lockWithOwner,
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
import { filtered, inOrder, isoOf, type List, type Page, type QueueFilter } from '../lists/read.ts'
import { findUserOf } from '../users/user-of.ts'
import { oneOf, type Proposed } from './queue.ts'

export interface FactorResetRow extends ProposalColumns<DeskFactorReset['status']> {
  id: string
  user_id: string
  email: string
  name: string
  due_at: string | null
  ended_at: string | null
}

/** Selects second factor resets, newest first. */
export const factorResetRows = (filter: QueueFilter, page: Page): List<FactorResetRow> => sql`
  select f.id::text, f.user_id::text, u.email, u.firstname || ' ' || u.lastname as name, f.due_at, f.ended_at,
    ${proposalColumns('f')}
  from factor_resets f join users u on u.id = f.user_id ${proposalJoins('f')}
  where ${filtered('f', filter, page)}
  ${inOrder('f.id', page)}`

interface FactorReset extends Proposal {
  user_id: bigint
}

/** Second factor resets: proposed by one compliance operator on a user's page, decided by another. */
export const factorResets: Proposed<'factor-resets', keyof typeof factorResetCalls, FactorResetRow, FactorReset> = {
  name: 'factor-resets',
  schema: DeskFactorReset,
  pending: sql`select id, proposed_at, 0 from factor_resets where status = 'Pending'`,
  rows: factorResetRows,
  view: (row, who) => ({
    id: row.id,
    user_id: row.user_id,
    email: row.email,
    name: row.name,
    ...proposalFields(row),
    ...(row.due_at === null ? {} : { due_at: isoOf(row.due_at) }),
    ...(row.ended_at === null ? {} : { ended_at: isoOf(row.ended_at) }),
    own: row.proposer === String(who.operatorId) || isOwn(who, row.email),
  }),
  kind: factorResetKind,
}

/** The identity room stores the decision: an approved reset takes effect later. */
function factorResetKind(deps: DeskDeps): ProposalKind<FactorReset, DeskFactorReset> {
  return {
    name: 'factor-resets',
    of: QUEUES['factor-resets'].of,
    lock: (tx, id) => lockWithOwner(tx, () => factorResetById(tx, id)),
    async store(tx, { id }, decision, { operatorId }) {
      if (decision.status === 'Rejected') await rejectFactorReset(tx, { id, operatorId, reason: decision.reason })
    },
    async carryOut(tx, { id, user_id }, { operatorId }) {
      const { dueAt } = await approveFactorReset(deps.identity, tx, { id, userId: user_id, operatorId })
      return { due_at: dueAt.toISOString() }
    },
    facts: () => ({}),
    show: async (tx, who, id) => (await oneOf({ ...deps, db: tx }, factorResets, who, id))!,
  }
}

/** Proposes removing a trader's second factor. Throws `not_found`, `own_item`, `wrong_state`. */
export function requestFactorReset(
  deps: DeskDeps,
  who: WhoOperates,
  userId: bigint,
  reason: string,
): Promise<DeskFactorReset> {
  return audited(deps.db, who, async (tx) => {
    const user = await findUserOf(tx, userId)
    refuseOwn(who, user.email)
    const id = await proposeFactorReset(tx, { userId: user.id, reason, operatorId: who.operatorId })
    return proposed(tx, who, factorResetKind(deps), id, { userId: user.id, after: { status: 'Pending' }, why: reason })
  })
}
