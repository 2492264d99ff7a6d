import { Problem } from '#contract/problem.ts'
import { first } from '#kernel/must.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { sql } from '../../platform/database/db.ts'
import { hashOf, newSecret } from './secret.ts'

/** The purposes of one-time tokens, with their lifetime and error code. */
const PURPOSES = {
  onboarding: { hours: 24, problem: 'invalid_session', message: 'This session has expired. Sign in to continue.' },
  confirm_email: {
    hours: 24,
    problem: 'invalid_hash',
    message: 'This link has expired. Request a new one.',
  },
  reset_password: {
    hours: 1,
    problem: 'invalid_hash',
    message: 'This link has expired. Request a new one.',
  },
  stop_factor_reset: {
    hours: 24,
    problem: 'invalid_hash',
    message: 'This link has expired, or was used already.',
  },
  /** Mailed to the old address of a change. */
  change_email: {
    hours: 24,
    problem: 'invalid_hash',
    message: 'This link has expired, or was used already.',
  },
  /** Mailed to the new address of a change. */
  new_email: {
    hours: 24,
    problem: 'invalid_hash',
    message: 'This link has expired, or was used already.',
  },
  keep_account: {
    hours: 14 * 24,
    problem: 'invalid_hash',
    message: 'This link has expired, or was used already.',
  },
  disown_sign_in: {
    hours: 7 * 24,
    problem: 'invalid_hash',
    message: 'This link has expired, or was used already.',
  },
} as const
type Purpose = keyof typeof PURPOSES

/** Issues a token for one purpose. Only its hash is stored. */
export async function issueToken(tx: Tx, purpose: Purpose, userId: bigint): Promise<string> {
  const secret = newSecret()
  await sql`
    insert into one_time_tokens (hash, purpose, user_id, expires_at)
    values (${hashOf(secret)}, ${purpose}, ${userId}, clock_timestamp() + make_interval(hours => ${PURPOSES[purpose].hours}))
  `.execute(tx)
  return secret
}

/** Counts a user's tokens of one purpose that work for another quarter of an hour. */
export async function countTokens(tx: Tx, purpose: Purpose, userId: bigint): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from one_time_tokens where user_id = ${userId} and purpose = ${purpose}
      and used_at is null and expires_at > clock_timestamp() + interval '15 minutes'`.execute(tx)
  return first(rows).n
}

/**
 * Returns the owner of a token that is still valid for this purpose, without consuming it. Throws `invalid_session` or
 * `invalid_hash`.
 */
export async function ownerOfToken(db: Db | Tx, purpose: Purpose, secret: string): Promise<bigint> {
  const { rows } = await sql<{ user_id: bigint }>`
    select user_id from one_time_tokens
    where hash = ${hashOf(secret)} and purpose = ${purpose} and used_at is null and expires_at > clock_timestamp()
  `.execute(db)
  return rows[0]?.user_id ?? refuse(purpose)
}

/** Returns which of these purposes a token that is still valid has, and its owner. Throws as the first purpose does. */
export async function findToken<P extends Purpose>(
  db: Db | Tx,
  purposes: readonly [P, ...P[]],
  secret: string,
): Promise<{ purpose: P; userId: bigint }> {
  const { rows } = await sql<{ purpose: P; userId: bigint }>`
    select purpose, user_id as "userId" from one_time_tokens
    where hash = ${hashOf(secret)} and purpose = any(${purposes}) and used_at is null and expires_at > clock_timestamp()
  `.execute(db)
  return rows[0] ?? refuse(purposes[0])
}

/** Whether a token, used or expired too, was issued to an account whose address is confirmed. */
export async function belongsToConfirmed(db: Db, purpose: Purpose, secret: string): Promise<boolean> {
  const { rows } = await sql`
    select from one_time_tokens t join users u on u.id = t.user_id
    where t.hash = ${hashOf(secret)} and t.purpose = ${purpose} and u.email_confirmed_at is not null and u.ended_at is null
  `.execute(db)
  return rows.length > 0
}

/** Consumes a token: one of several concurrent callers gets its owner, the others are rejected. */
export async function redeemToken(tx: Tx, purpose: Purpose, secret: string): Promise<bigint> {
  const { rows } = await sql<{ user_id: bigint }>`
    update one_time_tokens set used_at = clock_timestamp()
    where hash = ${hashOf(secret)} and purpose = ${purpose} and used_at is null and expires_at > clock_timestamp()
    returning user_id
  `.execute(tx)
  return rows[0]?.user_id ?? refuse(purpose)
}

/** Revokes a user's unused tokens of some purposes. */
export async function endTokens(tx: Tx, userId: bigint, purposes: readonly Purpose[]): Promise<void> {
  await tx
    .updateTable('one_time_tokens')
    .set({ used_at: sql`clock_timestamp()` })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .where('purpose', 'in', purposes)
    .execute()
}

/** Ends the onboarding session: the ID was submitted or decided, and the owner continues from a signed-in session. */
export const endOnboarding = (tx: Tx, userId: bigint): Promise<void> => endTokens(tx, userId, ['onboarding'])

function refuse(purpose: Purpose): never {
  const { problem, message } = PURPOSES[purpose]
  throw new Problem(problem, message)
}
