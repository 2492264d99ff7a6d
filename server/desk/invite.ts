import { Problem } from '#contract/problem.ts'
import type { OperatorRole } from '#contract/terms.ts'
import { hashOf, newSecret } from '../identity/index.ts'
import { type Db, sql } from '../platform/db.ts'
import { type Actor, audited, HOST } from './audited.ts'

/** Minutes that an invitation lives. */
const INVITATION_MINUTES = 15

export interface Invitation {
  token: string
  expires: Date
}

/**
 * Invites an operator: a token for one use within 15 minutes. `already_exists` where an admin names somebody who works
 * here; from the host it lets in again whoever lost his authenticator.
 */
export function invite(
  db: Db,
  actor: Actor,
  { email, roles }: { email: string; roles: readonly OperatorRole[] },
): Promise<Invitation> {
  return audited(db, actor, async (tx) => {
    const existing = await tx
      .selectFrom('operators')
      .select(['id', 'roles', 'ended_at'])
      .where(sql`lower(email)`, '=', email.toLowerCase())
      .executeTakeFirst()
    if (existing && !existing.ended_at && actor !== HOST)
      throw new Problem('already_exists', 'This operator is at the desk already. Change the roles instead.')
    const token = newSecret()
    const { rows } = await sql<{ id: bigint; expires_at: Date }>`
      insert into operator_invitations (token_hash, email, roles, invited_by, expires_at)
      values (${hashOf(token)}, ${email}, ${[...roles]}, ${actor.operatorId},
        clock_timestamp() + make_interval(mins => ${INVITATION_MINUTES}))
      returning id, expires_at`.execute(tx)
    return {
      answer: { token, expires: rows[0]!.expires_at },
      deed: {
        action: 'invite',
        item: { kind: 'operators', id: email.toLowerCase() },
        before: existing ? { roles: existing.roles, ended: existing.ended_at !== null } : null,
        after: { roles },
      },
    }
  })
}

/** Where an invitation is taken up. */
export const joinUrl = (publicUrl: string, token: string): string => `${publicUrl}/desk/join?token=${token}`

/** An invitation with every role while there is nobody who could invite; undefined once there is. */
export async function inviteFirst(db: Db, email: string): Promise<Invitation | undefined> {
  const anybody = await db.selectFrom('operators').select('id').limit(1).executeTakeFirst()
  if (anybody) return undefined
  return invite(db, HOST, { email, roles: ['support', 'compliance', 'finance', 'risk', 'admin', 'auditor'] })
}
