import type { DeskOperatorChange } from '#contract/desk/operators.ts'
import { Problem } from '#contract/problem.ts'
import type { OperatorRole } from '#contract/terms.ts'
import { assert } from '#kernel/assert.ts'
import { type Db, isUniqueViolation, sql, type Tx } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { composeMail } from '../../platform/mail/index.ts'
import { addInvitation, joinUrl } from '../access/invite.ts'
import { isOwn } from '../actions/items.ts'
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
import { audited, type Done } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { filtered, inOrder, type List, type Page, type QueueFilter, readList } from '../lists/read.ts'
import { applyRoles, lockOperator } from './operators.ts'

type Deps = Pick<DeskDeps, 'db' | 'mail' | 'brand' | 'publicUrl'>

interface ChangeRow extends ProposalColumns {
  id: string
  kind: DeskOperatorChange['kind']
  email: string
  roles: OperatorRole[]
}

const changeRows = (filter: QueueFilter, page: Page): List<ChangeRow> => sql`
  select c.id::text, c.kind, c.email, c.roles, ${proposalColumns('c')}
  from operator_changes c ${proposalJoins('c')}
  where ${filtered('c', filter, page)}
  ${inOrder('c.id', page)}`

/** Lists proposed invitations and role changes, newest first. */
export async function operatorChanges(
  db: Db | Tx,
  who: WhoOperates,
  filter: QueueFilter,
  page: Page,
): Promise<DeskOperatorChange[]> {
  const rows = await readList(db, changeRows(filter, page))
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    email: row.email,
    roles: row.roles,
    ...proposalFields(row),
    own: row.proposer === String(who.operatorId) || isOwn(who, row.proposer_email),
  }))
}

interface Change extends Proposal {
  kind: DeskOperatorChange['kind']
  email: string
  operator_id: bigint | null
  roles: OperatorRole[]
}

/**
 * How invitations and role changes are decided. Approving e-mails the invitation, or changes the roles. Throws
 * `already_exists` too.
 */
export const operatorChangeKind = (deps: Deps): ProposalKind<Change, DeskOperatorChange> => ({
  name: 'operator-changes',
  of: 'change',
  async lock(tx, id) {
    const change = await tx
      .selectFrom('operator_changes')
      .selectAll()
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    return change && { ...change, about: { email: change.email } }
  },
  store: (tx, { id }, decision, who) =>
    tx.updateTable('operator_changes').set(decided(decision, who)).where('id', '=', id).execute(),
  async carryOut(tx, change, who) {
    if (change.kind === 'roles') {
      assert(change.operator_id !== null, 'a change of roles names its operator')
      const operator = await lockOperator(tx, who, change.operator_id)
      await applyRoles(tx, operator.id, change.roles)
    } else await invite(deps, tx, change)
    return undefined
  },
  facts: ({ kind, email, roles }) => ({ kind, email: email.toLowerCase(), roles }),
  show,
})

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
  { id, roles, reason }: { id: bigint; roles: readonly OperatorRole[]; reason: string },
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
): Promise<Done<DeskOperatorChange>> {
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
  const after = { kind, email: email.toLowerCase(), roles }
  return proposed(tx, who, { name: 'operator-changes', show }, id, { after, why: reason })
}

/** Lifetime of an e-mailed invitation. */
const INVITATION_HOURS = 24

async function invite(deps: Deps, tx: Tx, change: Change): Promise<void> {
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
    composeMail(
      {
        to: change.email,
        subject: `Join the ${deps.brand} desk`,
        budget: 'none',
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

async function show(tx: Tx, who: WhoOperates, id: bigint): Promise<DeskOperatorChange> {
  const [row] = await operatorChanges(tx, who, { id }, { after: undefined, limit: 1 })
  return row!
}
