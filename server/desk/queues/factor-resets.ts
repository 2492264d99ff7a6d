import type { DeskFactorReset } from '#contract/desk/factor-resets.ts'
import { Problem } from '#contract/problem.ts'
import {
  alreadyDecided,
  approveFactorReset,
  type FactorResetDeps,
  factorResetById,
  proposeFactorReset,
  rejectFactorReset,
} from '../../identity/index.ts'
import { type Db, sql, type Tx } from '../../platform/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { isOwn, notFound, numberOf, parseNumber, type QueueFilter, refuseOwn } from '../actions/items.ts'
import { audited } from '../audit/audited.ts'
import { inOrder, isAfter, isoOf, type List, type Page, readList, where } from '../lists/read.ts'
import { findUserOf, lockUserOf } from '../users/user-of.ts'

export interface FactorResetRow {
  id: string
  user_id: string
  email: string
  name: string
  reason: string
  status: DeskFactorReset['status']
  proposer: string
  proposer_email: string
  proposed_at: string
  decider: string | null
  decider_email: string | null
  decided_at: string | null
  decision_reason: string | null
  due_at: string | null
  ended_at: string | null
}

/** Selects second factor resets, newest first. */
export const factorResetRows = (filter: QueueFilter, page: Page): List<FactorResetRow> => sql`
  select f.id::text, f.user_id::text, u.email, u.firstname || ' ' || u.lastname as name, f.reason, f.status,
    p.id::text as proposer, p.email as proposer_email, f.proposed_at, d.id::text as decider, d.email as decider_email,
    f.decided_at, f.decision_reason, f.due_at, f.ended_at
  from factor_resets f join users u on u.id = f.user_id join operators p on p.id = f.proposed_by
    left join operators d on d.id = f.decided_by
  where ${where(
    filter.status !== undefined && sql`f.status = ${sql.lit(filter.status)}`,
    !!filter.user && sql`f.user_id = ${parseNumber(filter.user) ?? 0n}`,
    filter.id !== undefined && sql`f.id = ${filter.id}`,
    isAfter('f.id', page),
  )}
  ${inOrder('f.id', page)}`

export const toDeskFactorReset = (who: WhoOperates, row: FactorResetRow): DeskFactorReset => ({
  id: row.id,
  user_id: row.user_id,
  email: row.email,
  name: row.name,
  reason: row.reason,
  status: row.status,
  proposed_by: { operator_id: row.proposer, email: row.proposer_email },
  created_at: isoOf(row.proposed_at),
  decided_by: row.decider === null ? null : { operator_id: row.decider, email: row.decider_email! },
  ...(row.decided_at === null ? {} : { decided_at: isoOf(row.decided_at) }),
  ...(row.decision_reason === null ? {} : { decision_reason: row.decision_reason }),
  ...(row.due_at === null ? {} : { due_at: isoOf(row.due_at) }),
  ...(row.ended_at === null ? {} : { ended_at: isoOf(row.ended_at) }),
  own: row.proposer === String(who.operatorId) || isOwn(who, row.email),
})

/** Lists second factor resets, newest first. */
export const factorResets = async (
  db: Db | Tx,
  who: WhoOperates,
  filter: QueueFilter,
  page: Page,
): Promise<DeskFactorReset[]> =>
  (await readList(db, factorResetRows(filter, page))).map((row) => toDeskFactorReset(who, row))

/** Proposes removing a trader's second factor. Throws `not_found`, `own_item`, `wrong_state`. */
export function requestFactorReset(
  db: Db,
  who: WhoOperates,
  uncheckedUser: string,
  reason: string,
): Promise<DeskFactorReset> {
  return audited(db, who, async (tx) => {
    const user = await findUserOf(tx, uncheckedUser)
    refuseOwn(who, user.email)
    const id = await proposeFactorReset(tx, { userId: user.id, reason, operatorId: who.operatorId })
    return {
      answer: await one(tx, who, id),
      deed: {
        action: 'propose',
        item: { kind: 'factor-resets', id: String(id) },
        userId: user.id,
        after: { status: 'Pending' },
        why: reason,
      },
    }
  })
}

/**
 * Approves or rejects a reset, by an operator other than the one who proposed it. Throws `not_found`, `own_item`,
 * `second_person_required`, `wrong_state`.
 */
export function decideFactorReset(
  deps: { db: Db; identity: FactorResetDeps },
  who: WhoOperates,
  unchecked: string,
  decision: { status: 'Approved' } | { status: 'Rejected'; reason: string },
): Promise<DeskFactorReset> {
  return audited(deps.db, who, async (tx) => {
    const id = numberOf(unchecked)
    const seen = await factorResetById(tx, id)
    if (!seen) throw notFound()
    // Lock the user's row first, as everywhere, then read the proposal again under that lock.
    const user = await lockUserOf(tx, String(seen.user_id))
    const reset = (await factorResetById(tx, id))!
    refuseOwn(who, user.email)
    if (reset.status !== 'Pending') throw alreadyDecided()
    if (reset.proposed_by === who.operatorId)
      throw new Problem('second_person_required', 'You proposed this. Ask another operator to decide.')
    const approved =
      decision.status === 'Approved'
        ? await approveFactorReset(deps.identity, tx, { id, userId: user.id, operatorId: who.operatorId })
        : undefined
    if (decision.status === 'Rejected')
      await rejectFactorReset(tx, { id, operatorId: who.operatorId, reason: decision.reason })
    return {
      answer: await one(tx, who, id),
      deed: {
        action: approved ? 'approve' : 'reject',
        item: { kind: 'factor-resets', id: unchecked },
        userId: user.id,
        before: { status: 'Pending' },
        after: { status: decision.status, ...(approved ? { due_at: approved.dueAt.toISOString() } : {}) },
        why: decision.status === 'Rejected' ? decision.reason : reset.reason,
      },
    }
  })
}

async function one(tx: Tx, who: WhoOperates, id: bigint): Promise<DeskFactorReset> {
  const [row] = await factorResets(tx, who, { id }, { after: undefined, limit: 1 })
  return row!
}
