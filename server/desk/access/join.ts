import { Problem } from '#contract/problem.ts'
import { first } from '#kernel/must.ts'
import { hashOf } from '../../identity/index.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import { newTotpSecret, otpauthUrl, totpStep } from '../../platform/secrets/totp.ts'
import { audited } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { secretOf } from './secret.ts'

type Deps = Pick<DeskDeps, 'db' | 'brand' | 'clock' | 'limits' | 'passwords' | 'seal'>

/**
 * Accepts an invitation: stores the password and returns the authenticator to enrol. The account works, and the link
 * stops working, only once a code confirms the authenticator; until then the link can be reopened. Throws
 * `invalid_hash`.
 */
export async function join(
  deps: Deps,
  { token, password }: { token: string; password: string },
): Promise<{ email: string; secret: string; otpauth_url: string }> {
  const { id, email } = await openInvitation(deps.db, token)
  await deps.passwords.rejectCommon(password, [deps.brand, email])
  const passwordHash = await deps.passwords.hash(password)
  const secret = newTotpSecret()
  const kept = await deps.db
    .updateTable('operator_invitations')
    .set({ password_hash: passwordHash, totp_secret: deps.seal.seal(secret, secretOf(email)) })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (!kept) throw notValid()
  return { email, secret, otpauth_url: otpauthUrl(secret, `${deps.brand} desk`, email) }
}

/**
 * Confirms the authenticator with a code, which activates the account and invalidates the link. An active operator
 * keeps their account; one whose access was ended returns as a new operator. Throws `invalid_hash`, and
 * `invalid_credentials` for a wrong code.
 */
export async function confirmJoin(deps: Deps, { token, code }: { token: string; code: string }): Promise<void> {
  const invitation = await openInvitation(deps.db, token)
  const { password_hash: passwordHash, totp_secret: sealed, email } = invitation
  if (passwordHash === null || sealed === null) throw new Problem('invalid_hash', 'Choose a password first.')
  const key = `invitation ${invitation.id}`
  deps.limits.joinCodes.take(key)
  const step = totpStep(deps.seal.open(sealed, secretOf(email)), code, deps.clock.now())
  if (step === undefined) {
    throw new Problem('invalid_credentials', 'The code is wrong. Wait for the next one and try again.', {
      errors: [{ field: 'code', message: 'is wrong' }],
    })
  }
  const joining = { operatorId: null as bigint | null, email }
  await audited(deps.db, joining, async (tx) => {
    await useUp(tx, invitation.id, email)
    const { rows } = await sql<{ id: bigint }>`
      insert into operators (email, password_hash, totp_secret, totp_step, roles)
      values (${email}, ${passwordHash}, ${sealed}, ${step}, ${invitation.roles})
      on conflict (lower(email)) where ended_at is null do update set password_hash = excluded.password_hash, totp_secret = excluded.totp_secret,
        totp_step = excluded.totp_step, roles = excluded.roles
      returning id`.execute(tx)
    joining.operatorId = first(rows).id
    // End the sessions that were opened with the old credentials.
    await tx
      .updateTable('operator_sessions')
      .set({ ended_at: sql<Date>`clock_timestamp()` })
      .where('operator_id', '=', joining.operatorId)
      .where('ended_at', 'is', null)
      .execute()
    return {
      answer: undefined,
      entry: {
        action: 'join',
        item: { kind: 'operators', id: String(joining.operatorId) },
        after: { email, roles: invitation.roles },
      },
    }
  })
}

async function openInvitation(db: Db, token: string) {
  const row = await db
    .selectFrom('operator_invitations')
    .select(['id', 'email', 'roles', 'password_hash', 'totp_secret'])
    .where('token_hash', '=', hashOf(token))
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst()
  if (!row) throw notValid()
  return row
}

/**
 * Consumes the invitation: one of several concurrent calls succeeds. The person's older invitations are revoked with
 * it.
 */
async function useUp(tx: Tx, id: bigint, email: string): Promise<void> {
  const { rows } = await sql<{ id: bigint }>`
    update operator_invitations set used_at = clock_timestamp()
    where lower(email) = ${email.toLowerCase()} and used_at is null and id <= ${id} and expires_at > clock_timestamp()
    returning id`.execute(tx)
  if (!rows.some((row) => row.id === id)) throw notValid()
}

const notValid = () => new Problem('invalid_hash', 'This link has expired. Ask for a new invitation.')
