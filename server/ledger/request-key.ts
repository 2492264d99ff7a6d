import { Problem } from '#contract/problem.ts'
import { type Db, sql, type Tx } from '../platform/db.ts'
import type { DB } from '../platform/db-types.ts'
import { accountOf } from './account.ts'

/** What a client's Idempotency-Key stands for: its text, and the sha256 of the request. */
export interface RequestKey {
  text: string
  fingerprint: Buffer
}

export type Effect = DB['request_keys']['effect']

/** The key of a request, where it has one. */
export const keyOf = (request: {
  idempotencyKey: string | undefined
  fingerprint(): Buffer
}): RequestKey | undefined =>
  request.idempotencyKey === undefined
    ? undefined
    : { text: request.idempotencyKey, fingerprint: request.fingerprint() }

/**
 * The number of what was done under a user's key; undefined where it is free. Throws `idempotency_mismatch` where it
 * stands for something else, a trade too. Certain only under the lock of the user's row.
 */
export async function keptUnder(db: Db | Tx, userId: bigint, key: RequestKey): Promise<bigint | undefined> {
  const kept = await db
    .selectFrom('request_keys')
    .select(['fingerprint', 'effect_id'])
    .where('user_id', '=', userId)
    .where('key', '=', key.text)
    .executeTakeFirst()
  if (kept?.fingerprint.equals(key.fingerprint)) return kept.effect_id
  if (kept || (await standsForTrade(db, userId, key))) throw otherUse()
  return undefined
}

/**
 * Keeps a key for what is done in this transaction: a refusal rolls it back and frees it. Needs the lock of the user's
 * row, and takes those of both accounts: no trade is accepted under the same key meanwhile (acceptance looks again under
 * them: `trades_keys_are_their_own`). `answer`: the first answer, where it can't be read later from what was done.
 */
export async function keepKey(
  tx: Tx,
  userId: bigint,
  key: RequestKey,
  effect: Effect,
  effectId: bigint,
  answer?: object,
) {
  await lockForKey(tx, userId)
  if (await standsForTrade(tx, userId, key)) throw otherUse()
  await tx
    .insertInto('request_keys')
    .values({
      user_id: userId,
      key: key.text,
      fingerprint: key.fingerprint,
      effect,
      effect_id: effectId,
      answer: answer ? JSON.stringify(answer) : null,
    })
    .execute()
}

/** Locks both accounts in their order, where something moves before the key is kept. */
export async function lockForKey(tx: Tx, userId: bigint): Promise<void> {
  const accounts = [accountOf(userId, 'real'), accountOf(userId, 'demo')]
  await sql`select from accounts where id = any (${accounts}::bigint[]) order by id for no key update`.execute(tx)
}

/** The first answer that was stored with a key. */
export async function keptAnswer<T extends object>(
  db: Db | Tx,
  userId: bigint,
  key: RequestKey,
): Promise<T | undefined> {
  const row = await db
    .selectFrom('request_keys')
    .select('answer')
    .where('user_id', '=', userId)
    .where('key', '=', key.text)
    .executeTakeFirst()
  return (row?.answer as T | null | undefined) ?? undefined
}

async function standsForTrade(db: Db | Tx, userId: bigint, key: RequestKey): Promise<boolean> {
  const { rows } = await sql`select from trades where account_id / 2 = ${userId} and key = ${key.text}`.execute(db)
  return rows.length > 0
}

export const otherUse = () =>
  new Problem('idempotency_mismatch', 'This Idempotency-Key was used for something else. Send a new one.')
