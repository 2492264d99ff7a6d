import { SUBSCRIPTIONS_MAX } from '#contract/messages/web-push.ts'
import { Problem } from '#contract/problem.ts'
import { first } from '#kernel/must.ts'
import { isSessionActive, lockAccountById } from '../identity/index.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'
import type { Who } from '../platform/http/index.ts'

/** A browser's subscription: its address at a push service, and the keys that messages to it are encrypted with. */
interface Subscription {
  endpoint: string
  publicKey: Buffer
  authSecret: Buffer
}

/**
 * Stores the subscription of this browser; one more than the account may have takes the place of the oldest. Throws
 * `unauthenticated` if the account or the session has ended.
 */
export async function subscribe(tx: Tx, { userId, sessionId }: Who, browser: Subscription): Promise<void> {
  const { endpoint, publicKey, authSecret } = browser
  // One at a time for each account, so that two browsers can't both become the last that fits. Closing takes this lock
  // first: none is added once it has forgotten them.
  if (!(await lockAccountById(tx, userId))) throw new Problem('unauthenticated', 'Please sign in.')
  await sql`
    delete from push_subscriptions where user_id = ${userId} and not ${isSessionActive(sql.ref('session_id'))}`.execute(
    tx,
  )
  const { numAffectedRows } = await sql`
    insert into push_subscriptions (user_id, session_id, endpoint, public_key, auth_secret)
    select ${userId}::bigint, ${sessionId}::bigint, ${endpoint}, ${publicKey}::bytea, ${authSecret}::bytea
    where ${isSessionActive(sql`${sessionId}::bigint`)}
    on conflict (user_id, endpoint) do update set session_id = excluded.session_id, public_key = excluded.public_key,
      auth_secret = excluded.auth_secret, created_at = excluded.created_at`.execute(tx)
  if (numAffectedRows === 0n) throw new Problem('unauthenticated', 'Please sign in.')
  await sql`
    delete from push_subscriptions where id in (
      select id from push_subscriptions where user_id = ${userId}
      order by created_at desc, id desc offset ${SUBSCRIPTIONS_MAX})`.execute(tx)
}

export const unsubscribe = (db: Db, userId: bigint, endpoint: string) =>
  db.deleteFrom('push_subscriptions').where('user_id', '=', userId).where('endpoint', '=', endpoint).execute()

/** Forgets all browsers of a trader whose account is closed. The caller has the lock of the user's row. */
export const forgetBrowsers = (tx: Tx, userId: bigint) =>
  tx.deleteFrom('push_subscriptions').where('user_id', '=', userId).execute()

/** Returns how many of the account's browsers show push notifications. */
export async function countSubscriptions(db: Db, userId: bigint): Promise<number> {
  const { rows } = await sql<{ browsers: number }>`
    select count(*)::int as browsers from push_subscriptions
    where user_id = ${userId} and ${isSessionActive(sql.ref('session_id'))}`.execute(db)
  return first(rows).browsers
}
