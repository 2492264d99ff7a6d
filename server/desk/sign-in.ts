import type { Operator } from '#contract/desk.ts'
import { Problem } from '#contract/problem.ts'
import type { OperatorRole } from '#contract/terms.ts'
import { deviceOf, hashOf, newSecret, verifyPassword } from '../identity/index.ts'
import { oneByOne } from '../platform/at-most.ts'
import { type Db, sql, type Tx } from '../platform/db.ts'
import type { WhoOperates } from '../platform/http/index.ts'
import { totpStep } from '../platform/totp.ts'
import { audited } from './audited.ts'
import type { DeskDeps } from './deps.ts'
import { secretOf } from './secret.ts'

/** Hours that a session of the desk lives; nothing prolongs it. */
const SESSION_HOURS = 12

// Tries on one account come one after the other: side by side they would all pass the limit before one is counted.
const inTurn = oneByOne()

export interface SignedIn {
  operator: Operator
  token: string
  expires: Date
}

/**
 * Signs an operator in by password and code. The same words and the same time for an unknown address, a wrong password,
 * a wrong code and one that was used before. Throws `invalid_credentials`, `too_many_requests`.
 */
export function signInOperator(
  deps: Pick<DeskDeps, 'db' | 'clock' | 'limits' | 'seal'>,
  form: { email: string; password: string; code: string },
  from: { ip: string; userAgent: string },
): Promise<SignedIn> {
  const key = form.email.toLowerCase()
  const { failedSignInsOfAccount, failedSignInsFromAddress, codes } = deps.limits
  return inTurn(key, async () => {
    failedSignInsOfAccount.check(key)
    failedSignInsFromAddress.check(from.ip)
    const found = await operatorByEmail(deps.db, key)
    if (!(await verifyPassword(form.password, found?.password_hash)) || !found) {
      failedSignInsOfAccount.count(key)
      failedSignInsFromAddress.count(from.ip)
      throw wrong()
    }
    codes.check(String(found.id))
    const step = totpStep(deps.seal.open(found.totp_secret, secretOf(found.email)), form.code, deps.clock.now())
    if (step === undefined || BigInt(step) <= found.totp_step) {
      codes.count(String(found.id))
      throw wrong()
    }
    return audited(deps.db, { operatorId: found.id, email: found.email }, async (tx) => {
      await useCode(tx, found, step)
      const session = await beginSession(tx, found.id, from)
      return {
        answer: { ...session, operator: { id: String(found.id), email: found.email, roles: found.roles } },
        deed: {
          action: 'sign-in',
          item: { kind: 'operators', id: String(found.id) },
          after: { device: deviceOf(from.userAgent), address: from.ip },
        },
      }
    })
  })
}

/** Whom a token of the desk belongs to, while its session and its operator live. Asked of the database at each call. */
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
  // The table's checks hold the roles to the words of the contract.
  return row && { ...row, roles: row.roles as OperatorRole[] }
}

/** A code works once, on whatever node; and nobody comes in who was ended, or whose password changed, meanwhile. */
async function useCode(tx: Tx, operator: { id: bigint; password_hash: string }, step: number): Promise<void> {
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
  return { token, expires: rows[0]!.expires_at }
}

const wrong = () => new Problem('invalid_credentials', 'The e-mail, the password or the code is wrong.')
