import type { OperatorRole } from '#contract/terms.ts'
import { hashOf, newSecret } from '../identity/index.ts'
import { type Db, sql, type Tx } from '../platform/db.ts'
import { audited, HOST } from './audited.ts'

/** How long an invitation from the host works: 15 minutes. */
const HOST_HOURS = 0.25

export interface Invitation {
  token: string
}

/**
 * Invites an operator from the host: a link for one use within 15 minutes. For an operator who is at work it replaces
 * password, authenticator and roles, for instance after a phone was lost.
 */
export function inviteFromHost(
  db: Db,
  { email, roles }: { email: string; roles: readonly OperatorRole[] },
): Promise<Invitation> {
  return audited(db, HOST, async (tx) => {
    const existing = await tx
      .selectFrom('operators')
      .select(['id', 'roles'])
      .where(sql`lower(email)`, '=', email.toLowerCase())
      .where('ended_at', 'is', null)
      .executeTakeFirst()
    const token = await addInvitation(tx, { email, roles, invitedBy: null, changeId: null, hours: HOST_HOURS })
    return {
      answer: { token },
      deed: {
        action: 'invite',
        item: { kind: 'operators', id: email.toLowerCase() },
        before: existing ? { roles: existing.roles } : null,
        after: { roles },
      },
    }
  })
}

/** Adds an invitation; returns the secret of its link. The database checks that two admins agreed, or the host invites. */
export async function addInvitation(
  tx: Tx,
  invitation: {
    email: string
    roles: readonly string[]
    invitedBy: bigint | null
    changeId: bigint | null
    hours: number
  },
): Promise<string> {
  const { email, roles, invitedBy, changeId, hours } = invitation
  const token = newSecret()
  await sql`
    insert into operator_invitations (token_hash, email, roles, invited_by, change_id, expires_at)
    values (${hashOf(token)}, ${email}, ${[...roles]}, ${invitedBy}, ${changeId},
      clock_timestamp() + make_interval(secs => ${hours * 3_600}))`.execute(tx)
  return token
}

/** Where an invitation is taken up. */
export const joinUrl = (publicUrl: string, token: string): string => `${publicUrl}/desk/join?token=${token}`

/** An invitation with every role while there is nobody who could invite; undefined once there is. */
export async function inviteFirst(db: Db, email: string): Promise<Invitation | undefined> {
  const anybody = await db.selectFrom('operators').select('id').limit(1).executeTakeFirst()
  if (anybody) return undefined
  return inviteFromHost(db, { email, roles: ['support', 'compliance', 'finance', 'risk', 'admin', 'auditor'] })
}
