import { Problem } from '#contract/problem.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'
import type { DB } from '../platform/database/db-types.ts'
import { accountOf } from './account.ts'

/** A client's Idempotency-Key: its text, and the sha256 of the request. */
export interface RequestKey {
  text: string
  fingerprint: Buffer
}

type Effect = DB['request_keys']['effect']

/** Returns the key of a request, if it has one. */
export const keyOf = (request: {
  idempotencyKey: string | undefined
  fingerprint(): Buffer
}): RequestKey | undefined =>
  request.idempotencyKey === undefined
    ? undefined
    : { text: request.idempotencyKey, fingerprint: request.fingerprint() }

/** The keys of requests other than trades, which store theirs with the trade. */
export interface RequestKeys {
  /**
   * Returns the id of what was done under a user's key; undefined if the key is unused. Throws `idempotency_mismatch`
   * if it belongs to a different request, including a trade. Reliable only under the lock of the user's row.
   */
  find(db: Db | Tx, userId: bigint, key: RequestKey): Promise<bigint | undefined>
  /**
   * Stores a key for what is done in this transaction; a rejection rolls it back and frees the key. Needs the lock of
   * the user's row, and locks both accounts, so that no trade is accepted under the same key in the meantime
   * (acceptance checks again under those locks: `trades_keys_are_unused`). `answer`: the first response, if it can't
   * be read later from what was done.
   */
  store(tx: Tx, userId: bigint, key: RequestKey, effect: Effect, effectId: bigint, answer?: object): Promise<void>
}

/** `isTradeKey`: whether a user's key belongs to a trade. */
export function openRequestKeys(
  isTradeKey: (db: Db | Tx, userId: bigint, key: string) => Promise<boolean>,
): RequestKeys {
  return {
    async find(db, userId, key) {
      const kept = await db
        .selectFrom('request_keys')
        .select(['fingerprint', 'effect_id'])
        .where('user_id', '=', userId)
        .where('key', '=', key.text)
        .executeTakeFirst()
      if (kept?.fingerprint.equals(key.fingerprint)) return kept.effect_id
      if (kept || (await isTradeKey(db, userId, key.text))) throw otherUse()
      return undefined
    },
    async store(tx, userId, key, effect, effectId, answer) {
      await lockAccounts(tx, userId)
      if (await isTradeKey(tx, userId, key.text)) throw otherUse()
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
    },
  }
}

/** Locks both accounts of a user in order: no order is accepted on them until the transaction ends. */
export async function lockAccounts(tx: Tx, userId: bigint): Promise<void> {
  const accounts = [accountOf(userId, 'real'), accountOf(userId, 'demo')]
  await sql`select from accounts where id = any (${accounts}::bigint[]) order by id for no key update`.execute(tx)
}

/** Returns the first response that was stored with a key. */
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

export const otherUse = () =>
  new Problem('idempotency_mismatch', 'This Idempotency-Key was already used for a different request. Send a new one.')
