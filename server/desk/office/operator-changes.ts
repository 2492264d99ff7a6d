import { DeskOperatorChange } from '#contract/desk/office/operators.ts'
import { Problem } from '#contract/problem.ts'
import type { OperatorRole } from '#contract/terms.ts'
import { emailKeyOf } from '#kernel/email-key.ts'
import { sql, type Tx } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { composeMail } from '../../platform/mail/index.ts'
import { addInvitation, joinUrl } from '../access/invite.ts'
import { defineProposal } from '../actions/define-proposal.ts'
import type { DeskDeps } from '../deps.ts'
import { applyEnd, applyRoles, lockOperator } from './operators.ts'

interface OperatorChange {
  kind: DeskOperatorChange['kind']
  email: string
  /** The operator whom it concerns; null for an invitation. */
  operator_id: string | null
  roles: OperatorRole[]
}

/**
 * Invitations, role changes and ends of admins: one admin proposes, another decides. Approving e-mails the invitation,
 * changes the roles or ends the access. Deciding throws `already_exists` too.
 */
export const operatorChanges = defineProposal({
  kind: 'operator-changes',
  of: 'change',
  schema: DeskOperatorChange,
  waiting: () => 'A change for this operator is already waiting for a second admin.',
  lock: async (_, { payload: { email } }) => ({ email }),
  async apply(deps, tx, { id, payload, proposed_by }, who) {
    const { kind, email, operator_id, roles } = payload
    if (operator_id === null) return invite(deps, tx, { email, roles, invitedBy: proposed_by, changeId: id })
    const operator = await lockOperator(tx, who, BigInt(operator_id))
    if (kind === 'end') await applyEnd(tx, operator.id)
    else await applyRoles(tx, operator.id, roles)
  },
  facts: ({ payload: { kind, email, roles } }: { payload: OperatorChange }) => ({
    kind,
    email: email.toLowerCase(),
    roles,
  }),
  view: ({ payload: { kind, email, roles } }) => ({ kind, email, roles }),
})

/**
 * Proposes inviting an operator. Throws `already_exists` for the person of an active operator, `wrong_state` while a change is
 * pending.
 */
export const proposeInvitation = (
  deps: Pick<DeskDeps, 'db'>,
  who: WhoOperates,
  { email, roles }: { email: string; roles: readonly OperatorRole[] },
): Promise<DeskOperatorChange> =>
  operatorChanges.propose(deps, who, async (tx) => {
    await refuseActive(tx, email)
    return changeOf({ kind: 'invite', email, operator_id: null, roles: [...roles] }, '')
  })

/** Proposes new roles for an operator. Throws `not_found`, `own_item`, `wrong_state`. */
export const proposeRoles = (
  deps: Pick<DeskDeps, 'db'>,
  who: WhoOperates,
  { id, roles, reason }: { id: bigint; roles: readonly OperatorRole[]; reason: string },
): Promise<DeskOperatorChange> =>
  operatorChanges.propose(deps, who, async (tx) => {
    const { email } = await lockOperator(tx, who, id)
    return changeOf({ kind: 'roles', email, operator_id: String(id), roles: [...roles] }, reason)
  })

/** Proposes to end an admin's access. Throws `not_found`, `own_item`, `wrong_state`. */
export const proposeEnd = (
  deps: Pick<DeskDeps, 'db'>,
  who: WhoOperates,
  { id, reason }: { id: bigint; reason: string },
): Promise<DeskOperatorChange> =>
  operatorChanges.propose(deps, who, async (tx) => {
    const { email, roles } = await lockOperator(tx, who, id)
    return changeOf({ kind: 'end', email, operator_id: String(id), roles }, reason)
  })

const changeOf = (payload: OperatorChange, reason: string) => ({
  subject: emailKeyOf(payload.email),
  payload,
  reason,
})

/** Lifetime of an e-mailed invitation. */
const INVITATION_HOURS = 24

async function invite(
  deps: Pick<DeskDeps, 'mail' | 'brand' | 'publicUrl'>,
  tx: Tx,
  invitation: { email: string; roles: readonly OperatorRole[]; invitedBy: bigint; changeId: bigint },
): Promise<void> {
  const { email, roles } = invitation
  await refuseActive(tx, email)
  const token = await addInvitation(tx, { ...invitation, hours: INVITATION_HOURS })
  await deps.mail.enqueue(
    tx,
    composeMail(
      {
        to: email,
        subject: `Join the ${deps.brand} desk`,
        budget: 'none',
        paragraphs: [
          `You've been invited to work at the ${deps.brand} desk as ${roles.join(', ')}.`,
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
    .where(sql`email_key_of(email)`, '=', emailKeyOf(email))
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  if (active) throw new Problem('already_exists', 'This person already has access. Change their roles instead.')
}
