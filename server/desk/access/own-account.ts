import { Problem } from '#contract/problem.ts'
import { MINUTE_MS } from '#kernel/time.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { composeMail } from '../../platform/mail/index.ts'
import { newTotpSecret, otpauthUrl, totpStep } from '../../platform/secrets/totp.ts'
import { notFound } from '../actions/items.ts'
import { audited } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { secretOf } from './secret.ts'
import { useCode } from './sign-in.ts'

type Deps = Pick<DeskDeps, 'db' | 'brand' | 'clock' | 'limits' | 'passwords' | 'seal' | 'mail'>

interface Shown {
  current: string
  code: string
}

/**
 * Changes the operator's own password, and ends their other sessions. Needs the current password and a code of the
 * authenticator, of which wrong ones count. Throws `invalid_credentials`, `too_many_requests`.
 */
export async function changeOwnPassword(
  deps: Deps,
  who: WhoOperates,
  { password, ...shown }: Shown & { password: string },
): Promise<void> {
  const operator = await confirmOperator(deps, who, shown)
  await deps.passwords.rejectCommon(password, [deps.brand, who.email])
  const passwordHash = await deps.passwords.hash(password)
  await changeOwn(deps, who, 'change-password', 'password', async (tx) => {
    await useCode(tx, operator, operator.step)
    await tx.updateTable('operators').set({ password_hash: passwordHash }).where('id', '=', who.operatorId).execute()
  })
}

/** Minutes in which a new authenticator must be confirmed. */
const ENROL_MINUTES = 15

/**
 * Returns a new authenticator to enrol, and a token that carries it, encrypted for this operator. The present one works
 * until the new one is confirmed. Needs what `changeOwnPassword` needs.
 */
export async function beginOwnAuthenticator(
  deps: Deps,
  who: WhoOperates,
  shown: Shown,
): Promise<{ secret: string; otpauth_url: string; token: string }> {
  const operator = await confirmOperator(deps, who, shown)
  const secret = newTotpSecret()
  await audited(deps.db, who, async (tx) => {
    await useCode(tx, operator, operator.step)
    const item = { kind: 'operators', id: String(who.operatorId) }
    return { answer: undefined, entry: { action: 'begin-authenticator', item } }
  })
  const expires = deps.clock.now() + ENROL_MINUTES * MINUTE_MS
  const token = deps.seal.seal(`${secret} ${expires}`, enrolmentOf(who)).toString('base64url')
  return { secret, otpauth_url: otpauthUrl(secret, `${deps.brand} desk`, who.email), token }
}

/** Confirms the new authenticator with one of its codes, and ends the operator's other sessions. Throws `invalid_credentials`, `invalid_hash`. */
export async function confirmOwnAuthenticator(
  deps: Deps,
  who: WhoOperates,
  { token, code }: { token: string; code: string },
): Promise<void> {
  const secret = openEnrolment(deps, who, token)
  const key = String(who.operatorId)
  deps.limits.ownCredentials.take(key)
  const step = totpStep(secret, code, deps.clock.now())
  if (step === undefined) throw wrong('code')
  deps.limits.ownCredentials.refund(key)
  await changeOwn(deps, who, 'change-authenticator', 'authenticator', async (tx) => {
    // No code of either authenticator works twice.
    await sql`
      update operators set totp_secret = ${deps.seal.seal(secret, secretOf(who.email))}, totp_step = greatest(totp_step, ${step})
      where id = ${who.operatorId} and ended_at is null`.execute(tx)
  })
}

const enrolmentOf = ({ operatorId, sessionId }: WhoOperates) =>
  `authenticator of operator ${operatorId} in ${sessionId}`

function openEnrolment({ seal, clock }: Pick<Deps, 'seal' | 'clock'>, who: WhoOperates, token: string): string {
  let opened: string
  try {
    opened = seal.open(Buffer.from(token, 'base64url'), enrolmentOf(who))
  } catch {
    throw new Problem('invalid_hash', 'This enrolment is not yours or has expired. Start again.')
  }
  const [secret = '', expires] = opened.split(' ')
  if (Number(expires) < clock.now()) throw new Problem('invalid_hash', 'This enrolment has expired. Start again.')
  return secret
}

/** Checks what an operator shows before a change of their credentials. Wrong ones count. Returns the unused code's step. */
async function confirmOperator(deps: Deps, who: WhoOperates, { current, code }: Shown) {
  const operator = await deps.db
    .selectFrom('operators')
    .select(['id', 'password_hash', 'totp_secret', 'totp_step'])
    .where('id', '=', who.operatorId)
    .executeTakeFirstOrThrow()
  const key = String(who.operatorId)
  deps.limits.ownCredentials.take(key)
  if (!(await deps.passwords.verify(current, operator.password_hash))) throw wrong('current')
  const step = totpStep(deps.seal.open(operator.totp_secret, secretOf(who.email)), code, deps.clock.now())
  if (step === undefined || BigInt(step) <= operator.totp_step) throw wrong('code')
  deps.limits.ownCredentials.refund(key)
  return { ...operator, step }
}

/** Runs a change of the operator's credentials: audited, reported by e-mail, and the end of their other sessions. */
const changeOwn = (
  deps: Pick<Deps, 'db' | 'mail' | 'brand'>,
  who: WhoOperates,
  action: string,
  what: string,
  change: (tx: Tx) => Promise<unknown>,
): Promise<void> =>
  audited(deps.db, who, async (tx) => {
    await change(tx)
    const ended = await endOtherSessions(tx, who)
    await deps.mail.enqueue(
      tx,
      composeMail(
        {
          to: who.email,
          subject: `Your ${what} for the desk was changed`,
          budget: 'none',
          paragraphs: [
            `The ${what} of your operator account was just changed, and your other sessions were ended.`,
            "If this was you, there's nothing to do. If it wasn't, tell an admin or the person who runs the desk at once.",
          ],
        },
        deps.brand,
      ),
    )
    const item = { kind: 'operators', id: String(who.operatorId) }
    return { answer: undefined, entry: { action, item, after: { ended_sessions: ended } } }
  })

async function endOtherSessions(tx: Tx, who: WhoOperates): Promise<number> {
  const { rows } = await sql`
    update operator_sessions set ended_at = clock_timestamp()
    where operator_id = ${who.operatorId} and id <> ${who.sessionId} and ended_at is null returning 1`.execute(tx)
  return rows.length
}

/** Lists the operator's active sessions, newest first. */
export async function ownSessions(db: Db, who: WhoOperates) {
  const rows = await db
    .selectFrom('operator_sessions')
    .select(['id', 'device', 'address', 'created_at', 'last_seen_at'])
    .where('operator_id', '=', who.operatorId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .orderBy('id', 'desc')
    .limit(100)
    .execute()
  return rows.map((row) => ({
    id: String(row.id),
    current: row.id === who.sessionId,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    device: row.device,
    address: row.address,
  }))
}

/** Ends one of the operator's sessions, or without an id all others. Throws `not_found`. */
export const endOwnSessions = (db: Db, who: WhoOperates, id?: bigint): Promise<void> =>
  audited(db, who, async (tx) => {
    const item = { kind: 'operators', id: String(who.operatorId) }
    if (id === undefined) {
      const ended = await endOtherSessions(tx, who)
      return { answer: undefined, entry: { action: 'end-sessions', item, after: { ended_sessions: ended } } }
    }
    const { rows } = await sql`
      update operator_sessions set ended_at = clock_timestamp()
      where operator_id = ${who.operatorId} and id = ${id} and ended_at is null returning 1`.execute(tx)
    if (rows.length === 0) throw notFound()
    return { answer: undefined, entry: { action: 'end-sessions', item, after: { ended_sessions: 1 } } }
  })

const wrong = (field: 'current' | 'code') =>
  new Problem('invalid_credentials', `The ${field === 'current' ? 'current password' : 'code'} is wrong.`, {
    errors: [{ field, message: 'is wrong' }],
  })
