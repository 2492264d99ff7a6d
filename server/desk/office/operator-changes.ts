import type { DeskOperatorChange } from '#contract/desk/operators.ts'
import { Problem } from '#contract/problem.ts'
import type { OperatorRole } from '#contract/terms.ts'
import { type Db, isUniqueViolation, sql, type Tx } from '../../platform/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { setLetter } from '../../platform/mail/index.ts'
import { addInvitation, joinUrl } from '../access/invite.ts'
import { notFound, numberOf, refuseOwn } from '../actions/items.ts'
import { audited } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import type { Page } from '../lists/read.ts'
import { applyRoles, lockOperator } from './operators.ts'

type Deps = Pick<DeskDeps, 'db' | 'mail' | 'brand' | 'publicUrl'>

/** Lists proposed invitations and role changes, newest first. */
export async function operatorChanges(
  db: Db | Tx,
  who: WhoOperates,
  filter: { status?: string | undefined; id?: bigint },
  page: Page,
): Promise<DeskOperatorChange[]> {
  const rows = await db
    .selectFrom('operator_changes as c')
    .innerJoin('operators as p', 'p.id', 'c.proposed_by')
    .leftJoin('operators as d', 'd.id', 'c.decided_by')
    .selectAll('c')
    .select(['p.email as proposer_email', 'd.email as decider_email'])
    .$if(filter.status !== undefined, (query) => query.where('c.status', '=', filter.status!))
    .$if(filter.id !== undefined, (query) => query.where('c.id', '=', filter.id!))
    .$if(page.after !== undefined, (query) => query.where('c.id', '<', page.after!))
    .orderBy('c.id', 'desc')
    .limit(page.limit)
    .execute()
  return rows.map((row) => ({
    id: String(row.id),
    kind: row.kind as DeskOperatorChange['kind'],
    email: row.email,
    roles: row.roles as OperatorRole[],
    reason: row.reason,
    status: row.status as DeskOperatorChange['status'],
    proposed_by: { operator_id: String(row.proposed_by), email: row.proposer_email },
    created_at: row.proposed_at.toISOString(),
    decided_by:
      row.decided_by === null ? null : { operator_id: String(row.decided_by), email: row.decider_email ?? '' },
    ...(row.decided_at === null ? {} : { decided_at: row.decided_at.toISOString() }),
    ...(row.decision_reason === null ? {} : { decision_reason: row.decision_reason }),
    own: row.proposed_by === who.operatorId || row.proposer_email.toLowerCase() === who.email.toLowerCase(),
  }))
}

/**
 * Proposes inviting an operator. Throws `already_exists` for an active operator, `wrong_state` while a change is
 * pending.
 */
export function proposeInvitation(
  deps: Deps,
  who: WhoOperates,
  { email, roles }: { email: string; roles: readonly OperatorRole[] },
): Promise<DeskOperatorChange> {
  return audited(deps.db, who, async (tx) => {
    await refuseActive(tx, email)
    return propose(tx, who, { kind: 'invite', email, operatorId: null, roles, reason: '' })
  })
}

/** Proposes new roles for an operator. Throws `not_found`, `own_item`, `wrong_state`. */
export function proposeRoles(
  deps: Deps,
  who: WhoOperates,
  { id, roles, reason }: { id: string; roles: readonly OperatorRole[]; reason: string },
): Promise<DeskOperatorChange> {
  return audited(deps.db, who, async (tx) => {
    const operator = await lockOperator(tx, who, id)
    return propose(tx, who, { kind: 'roles', email: operator.email, operatorId: operator.id, roles, reason })
  })
}

async function propose(
  tx: Tx,
  who: WhoOperates,
  change: {
    kind: 'invite' | 'roles'
    email: string
    operatorId: bigint | null
    roles: readonly OperatorRole[]
    reason: string
  },
) {
  const { kind, email, operatorId, roles } = change
  const reason = change.reason.toWellFormed()
  const { id } = await tx
    .insertInto('operator_changes')
    .values({ kind, email, operator_id: operatorId, roles: [...roles], reason, proposed_by: who.operatorId })
    .returning('id')
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      throw isUniqueViolation(error, 'operator_changes_pending')
        ? new Problem('wrong_state', 'A change for this operator is already waiting for a second admin.')
        : error
    })
  return {
    answer: await one(tx, who, id),
    deed: {
      action: 'propose',
      item: { kind: 'operator-changes', id: String(id) },
      after: { kind, email: email.toLowerCase(), roles },
      why: reason,
    },
  }
}

/**
 * Approves a change proposed by another admin: e-mails the invitation, or changes the roles. Throws `not_found`,
 * `own_item`, `second_person_required`, `wrong_state`, `already_exists`.
 */
export function approveOperatorChange(deps: Deps, who: WhoOperates, id: string): Promise<DeskOperatorChange> {
  return decide(deps, who, id, 'Approved', async (tx, change) => {
    if (change.kind === 'roles') {
      const operator = await lockOperator(tx, who, String(change.operator_id))
      await applyRoles(tx, operator.id, change.roles)
      return
    }
    await refuseActive(tx, change.email)
    const token = await addInvitation(tx, {
      email: change.email,
      roles: change.roles,
      invitedBy: change.proposed_by,
      changeId: change.id,
      hours: INVITATION_HOURS,
    })
    await deps.mail.enqueue(
      tx,
      setLetter(
        {
          to: change.email,
          subject: `Join the ${deps.brand} desk`,
          budget: 'operator',
          paragraphs: [
            `You've been invited to work at the ${deps.brand} desk as ${change.roles.join(', ')}.`,
            `The link works once, for ${INVITATION_HOURS} hours. You'll choose a password and set up an authenticator app.`,
          ],
          action: { label: 'Join the desk', url: joinUrl(deps.publicUrl(), token) },
          after: ["If you weren't expecting this, ignore it and tell the person who runs the desk."],
        },
        deps.brand,
      ),
    )
  })
}

/** Rejects a change, with a reason. Throws as `approveOperatorChange`. */
export const rejectOperatorChange = (
  deps: Deps,
  who: WhoOperates,
  id: string,
  reason: string,
): Promise<DeskOperatorChange> => decide(deps, who, id, 'Rejected', async () => undefined, reason)

/** Lifetime of an e-mailed invitation. */
const INVITATION_HOURS = 24

interface Change {
  id: bigint
  kind: string
  email: string
  operator_id: bigint | null
  roles: string[]
  reason: string
  proposed_by: bigint
}

async function decide(
  deps: Deps,
  who: WhoOperates,
  unchecked: string,
  status: 'Approved' | 'Rejected',
  apply: (tx: Tx, change: Change) => Promise<void>,
  reason?: string,
): Promise<DeskOperatorChange> {
  return audited(deps.db, who, async (tx) => {
    const id = numberOf(unchecked)
    const change = await tx
      .selectFrom('operator_changes')
      .selectAll()
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (!change) throw notFound()
    refuseOwn(who, change.email)
    if (change.status !== 'Pending') throw new Problem('wrong_state', 'This change has already been decided.')
    if (change.proposed_by === who.operatorId)
      throw new Problem('second_person_required', "You can't approve your own request. Ask another admin.")
    await tx
      .updateTable('operator_changes')
      .set({
        status,
        decided_by: who.operatorId,
        decided_at: sql<Date>`clock_timestamp()`,
        decision_reason: reason?.toWellFormed() ?? null,
      })
      .where('id', '=', id)
      .execute()
    await apply(tx, change)
    return {
      answer: await one(tx, who, id),
      deed: {
        action: status === 'Approved' ? 'approve' : 'reject',
        item: { kind: 'operator-changes', id: unchecked },
        before: { status: 'Pending' },
        after: { status, kind: change.kind, email: change.email.toLowerCase(), roles: change.roles },
        why: reason ?? change.reason,
      },
    }
  })
}

async function refuseActive(tx: Tx, email: string): Promise<void> {
  const active = await tx
    .selectFrom('operators')
    .select('id')
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  if (active) throw new Problem('already_exists', 'This operator already has access. Change their roles instead.')
}

async function one(tx: Tx, who: WhoOperates, id: bigint): Promise<DeskOperatorChange> {
  const [row] = await operatorChanges(tx, who, { id }, { after: undefined, limit: 1 })
  return row!
}
