import type { RawBuilder } from 'kysely'
import type { Tokens } from '#contract/account/auth.ts'
import { first, must } from '#kernel/must.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { sql } from '../../platform/database/db.ts'
import { networkOf } from '../../platform/http/limits/network.ts'
import { hashOf, newSecret } from '../passwords/secret.ts'

/** Lifetime of an access token in minutes. */
const ACCESS_MINUTES = 15
/** Session lifetime after sign-in: 30 days when remembered, otherwise 12 hours (and until the browser closes). */
const REMEMBERED_HOURS = 30 * 24
const BROWSER_HOURS = 12

export type EndReason =
  | 'signed_out'
  | 'ended_by_owner'
  | 'password_changed'
  | 'password_reset'
  | 'token_reused'
  | 'account_replaced'
  | 'sign_in_locked'
  | 'email_confirmed'
  | 'email_changed'
  | 'disowned'
  | 'account_closed'

/** The two secrets of one generation of a session. */
export interface Generation {
  renewal: string
  tokens: Tokens
}

/** SQL that says whether a session is under way. */
export const isSessionActive = (sessionId: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  exists (select from sessions where id = ${sessionId} and ended_at is null and expires_at > (select clock_timestamp()))`

/** Begins a session. The caller has locked the user's row and verified their credentials. */
export async function beginSession(
  tx: Tx,
  session: { userId: bigint; device: string; address: string } & ({ remember: boolean } | { hours: number }),
): Promise<Generation & { sessionId: bigint; createdAt: Date }> {
  const remembered = 'hours' in session || session.remember
  const hours = 'hours' in session ? session.hours : remembered ? REMEMBERED_HOURS : BROWSER_HOURS
  const { rows } = await sql<{ id: bigint; created_at: Date }>`
    insert into sessions (user_id, remembered, device, address, expires_at)
    values (${session.userId}, ${remembered}, ${session.device}, ${session.address},
      clock_timestamp() + make_interval(hours => ${hours}::int))
    returning id, created_at
  `.execute(tx)
  const { id, created_at } = first(rows)
  return { sessionId: id, createdAt: created_at, ...(await addGeneration(tx, id)) }
}

/** Adds a generation to a session. Its access token never outlives the session. */
export async function addGeneration(tx: Tx, sessionId: bigint): Promise<Generation> {
  const renewal = newSecret()
  const access = newSecret()
  const { rows } = await sql<{ access_expires_at: Date }>`
    insert into session_tokens (renewal_hash, session_id, access_hash, access_expires_at)
    select ${hashOf(renewal)}, id, ${hashOf(access)},
      least(clock_timestamp() + make_interval(mins => ${ACCESS_MINUTES}), expires_at)
    from sessions where id = ${sessionId}
    returning access_expires_at
  `.execute(tx)
  return { renewal, tokens: { access: { token: access, expires: first(rows).access_expires_at.toISOString() } } }
}

/** Ends a user's active sessions, except `except` if given, and returns their ids. Called by `Sessions.end` only. */
export async function endSessions(
  tx: Tx,
  userId: bigint,
  reason: EndReason,
  which: { only?: bigint; except?: bigint } = {},
): Promise<bigint[]> {
  const rows = await tx
    .updateTable('sessions')
    .set({ ended_at: sql`clock_timestamp()`, end_reason: reason })
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .$if(which.only !== undefined, (query) => query.where('id', '=', must(which.only)))
    .$if(which.except !== undefined, (query) => query.where('id', '<>', must(which.except)))
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}

/** How many of a user's newest sessions a sign-in is compared with. */
const COMPARED = 500

/** Whether the user has signed in before, and whether with such a browser from this network. */
export async function knowsDevice(
  tx: Tx,
  userId: bigint,
  { device, network }: { device: string; network: string },
): Promise<'first' | 'known' | 'new'> {
  const rows = await tx
    .selectFrom('sessions')
    .select(['device', 'address', 'end_reason'])
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(COMPARED)
    .execute()
  if (rows.length === 0) return 'first'
  // What the owner has disowned is not theirs.
  const own = rows.filter((row) => row.end_reason !== 'disowned')
  return own.some((row) => row.device === device && networkOf(row.address) === network) ? 'known' : 'new'
}

/** Lists a user's active sessions, newest first. */
export const activeSessions = (db: Db, userId: bigint) =>
  db
    .selectFrom('sessions')
    .select(['id', 'created_at', 'last_seen_at', 'device', 'address'])
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .orderBy('id', 'desc')
    .execute()
