import type { OperatorRole } from '#contract/terms.ts'
import { hashOf, newSecret } from '../../identity/index.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import { audited, HOST } from '../audit/audited.ts'

/** Lifetime of an invitation made on the host: 15 minutes. */
const HOST_HOURS = 0.25

interface Invitation {
  token: string
}

/**
 * Invites an operator from the host with a single-use link, valid for 15 minutes. For an active operator it replaces
 * the password, authenticator and roles, for example after they lost their phone.
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
      entry: {
        action: 'invite',
        item: { kind: 'operators', id: email.toLowerCase() },
        before: existing ? { roles: existing.roles } : null,
        after: { roles },
      },
    }
  })
}

/**
 * Inserts an invitation and returns the secret of its link. The database checks that two admins agreed, or that the
 * invitation comes from the host.
 */
export async function addInvitation(
  tx: Tx,
  invitation: {
    email: string
    roles: readonly OperatorRole[]
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

/** Returns the URL that accepts an invitation. */
export const joinUrl = (publicUrl: string, token: string): string => `${publicUrl}/desk/join?token=${token}`

/** Issues an invitation with every role while no operator exists to send one. Returns undefined once there is one. */
export async function inviteFirst(db: Db, email: string): Promise<Invitation | undefined> {
  const anybody = await db.selectFrom('operators').select('id').limit(1).executeTakeFirst()
  if (anybody) return undefined
  return inviteFromHost(db, { email, roles: ['support', 'compliance', 'finance', 'risk', 'admin', 'auditor'] })
}
