import type { Operator } from '#contract/desk/auth.ts'
import { Problem } from '#contract/problem.ts'
import type { OperatorRole } from '#contract/terms.ts'
import { first } from '#kernel/must.ts'
import {
  deviceOf,
  endSignInLink,
  hashOf,
  issueSignInLink,
  knownDevice,
  NOBODY,
  newSecret,
  rememberDevice,
  signInLinkMail,
  validLink,
} from '../../identity/index.ts'
import { type Db, inTransaction, sql, type Tx } from '../../platform/database/db.ts'
import type { RequestInfo, WhoOperates } from '../../platform/http/index.ts'
import { networkOf } from '../../platform/http/limits/network.ts'
import { composeMail } from '../../platform/mail/index.ts'
import { totpStep } from '../../platform/secrets/totp.ts'
import { audited, imitateFailedSignIn, recordFailedSignIn } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { secretOf } from './secret.ts'

/** Lifetime of a desk session in hours. It is never extended. */
const SESSION_HOURS = 12

/** The cookie that identifies a known device. */
const DEVICE_COOKIE = { name: 'desk_device', path: '/api/desk/auth' }

type Deps = Pick<DeskDeps, 'db' | 'clock' | 'limits' | 'passwords' | 'seal' | 'mail' | 'brand' | 'publicUrl'>

interface SignedIn {
  operator: Operator
  token: string
  expires: Date
}

/**
 * Signs an operator in with password and code. The response and its timing are the same for an unknown address, a wrong
 * password, a wrong code and a reused code. Failures with a known address are audited. Throws `invalid_credentials`,
 * `too_many_requests`, `sign_in_link_required`.
 */
export async function signInOperator(
  deps: Deps,
  form: { email: string; password: string; code: string; link?: string | undefined },
  from: Pick<RequestInfo, 'ip' | 'userAgent' | 'cookies' | 'setCookie'>,
): Promise<SignedIn> {
  const account = form.email.toLowerCase()
  const found = await operatorByEmail(deps.db, account)
  const owner = { operatorId: found?.id ?? NOBODY }
  const origin = {
    network: networkOf(from.ip),
    device: await knownDevice(deps.db, owner, from.cookies[DEVICE_COOKIE.name]),
    link: await validLink(deps.db, owner, form.link),
  }
  const place = { device: deviceOf(from.userAgent), address: from.ip }
  const fail = async () => {
    if (found) await recordFailedSignIn(deps.db, found.id, place)
    else await imitateFailedSignIn(deps.db)
    return wrong()
  }
  const passwordCounted = await offeringLink(deps, found, () => deps.limits.signIns.begin(account, origin))
  if (!(await deps.passwords.verify(form.password, found?.password_hash)) || !found) throw await fail()
  passwordCounted()
  const codeCounted = await offeringLink(deps, found, () => deps.limits.codes.begin(account, origin))
  const step = totpStep(deps.seal.open(found.totp_secret, secretOf(found.email)), form.code, deps.clock.now())
  if (step === undefined || BigInt(step) <= found.totp_step) throw await fail()
  codeCounted()
  return audited(deps.db, { operatorId: found.id, email: found.email }, async (tx) => {
    await useCode(tx, found, step)
    const session = await beginSession(tx, found.id, from)
    await rememberDevice(tx, { operatorId: found.id }, DEVICE_COOKIE, from)
    if (form.link !== undefined) await endSignInLink(tx, form.link)
    return {
      answer: { ...session, operator: { id: String(found.id), email: found.email, roles: found.roles } },
      entry: { action: 'sign-in', item: { kind: 'operators', id: String(found.id) }, after: place },
    }
  })
}

/** Counts an attempt, and e-mails the operator a link once strangers have used up their attempts. */
async function offeringLink(
  deps: Deps,
  operator: { id: bigint; email: string } | undefined,
  begin: () => () => void,
): Promise<() => void> {
  try {
    return begin()
  } catch (error) {
    if (operator && error instanceof Problem && error.code === 'sign_in_link_required') await mailLink(deps, operator)
    throw error
  }
}

async function mailLink(deps: Deps, { id, email }: { id: bigint; email: string }): Promise<void> {
  try {
    deps.limits.signInLinks.take(String(id))
  } catch {
    return
  }
  await inTransaction(deps.db, async (tx) => {
    const link = await issueSignInLink(tx, { operatorId: id })
    if (link === undefined) return
    const url = `${deps.publicUrl()}/desk/signin?link=${link}`
    await deps.mail.enqueue(tx, composeMail(signInLinkMail(email, url), deps.brand))
  })
}

/**
 * Returns the operator of a desk token while its session and the operator are active. Queries the database on every
 * call.
 */
export async function authenticateOperator(db: Db, token: string): Promise<WhoOperates | undefined> {
  const { rows } = await sql<{ id: bigint; operator_id: bigint; email: string; roles: OperatorRole[] }>`
    with mine as (
      select s.id, s.operator_id, s.last_seen_at, o.email, o.roles
      from operator_sessions s join operators o on o.id = s.operator_id
      where s.token_hash = ${hashOf(token)} and s.ended_at is null and s.expires_at > clock_timestamp() and o.ended_at is null
    ), seen as (
      update operator_sessions s set last_seen_at = clock_timestamp() from mine
      where s.id = mine.id and mine.last_seen_at < clock_timestamp() - interval '1 minute'
    )
    select id, operator_id, email, roles from mine`.execute(db)
  const row = rows[0]
  return row && { operatorId: row.operator_id, sessionId: row.id, email: row.email, roles: row.roles }
}

export const signOutOperator = (db: Db, sessionId: bigint) =>
  db
    .updateTable('operator_sessions')
    .set({ ended_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', sessionId)
    .execute()

async function operatorByEmail(db: Db, email: string) {
  const row = await db
    .selectFrom('operators')
    .select(['id', 'email', 'password_hash', 'totp_secret', 'totp_step', 'roles'])
    .where(sql`lower(email)`, '=', email)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return row
}

/**
 * Consumes a code, which works once across all nodes. Rejects operators whose access ended or whose password changed
 * meanwhile.
 */
export async function useCode(tx: Tx, operator: { id: bigint; password_hash: string }, step: number): Promise<void> {
  const used = await tx
    .updateTable('operators')
    .set({ totp_step: BigInt(step) })
    .where('id', '=', operator.id)
    .where('password_hash', '=', operator.password_hash)
    .where('totp_step', '<', BigInt(step))
    .where('ended_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (!used) throw wrong()
}

async function beginSession(tx: Tx, operatorId: bigint, from: { ip: string; userAgent: string }) {
  const token = newSecret()
  const { rows } = await sql<{ expires_at: Date }>`
    insert into operator_sessions (operator_id, token_hash, device, address, expires_at)
    values (${operatorId}, ${hashOf(token)}, ${deviceOf(from.userAgent)}, ${from.ip},
      clock_timestamp() + make_interval(hours => ${SESSION_HOURS}))
    returning expires_at`.execute(tx)
  return { token, expires: first(rows).expires_at }
}

const wrong = () => new Problem('invalid_credentials', 'The e-mail, the password or the code is wrong.')
