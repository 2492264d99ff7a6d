import type { Session } from '#contract/account/auth.ts'
import { Problem } from '#contract/problem.ts'
import { inTransaction } from '../../platform/database/db.ts'
import type { Who } from '../../platform/http/index.ts'
import type { IdentityDeps } from '../deps.ts'
import { sessionOfRenewal } from './renew-session.ts'
import { activeSessions } from './session-store.ts'

type Deps = Pick<IdentityDeps, 'db' | 'sessions'>

/** Lists the account's active sessions, newest first. */
export async function listSessions(deps: Deps, who: Who): Promise<Session[]> {
  const rows = await activeSessions(deps.db, who.userId)
  return rows.map((row) => ({
    id: row.id.toString(),
    current: row.id === who.sessionId,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    device: row.device,
    address: row.address,
  }))
}

/** Ends the session of the token and the cookie. Either may be missing or expired, which is no error. */
export async function signOut(deps: Deps, who: Who | undefined, renewal: string | undefined): Promise<void> {
  for (const session of [who, await sessionOfRenewal(deps.db, renewal)]) {
    if (!session) continue
    const { userId, sessionId } = session
    await inTransaction(deps.db, (tx) => deps.sessions.end(tx, userId, 'signed_out', { only: sessionId }))
  }
}

/** Ends all of the account's sessions except the current one. */
export async function endOtherSessions(deps: Deps, who: Who): Promise<void> {
  await inTransaction(deps.db, (tx) => deps.sessions.end(tx, who.userId, 'ended_by_owner', { except: who.sessionId }))
}

/** Ends one session of the account. Throws `not_found` alike for other users', ended and unknown sessions. */
export async function endSession(deps: Deps, who: Who, id: bigint): Promise<void> {
  const ended = await inTransaction(deps.db, (tx) => deps.sessions.end(tx, who.userId, 'ended_by_owner', { only: id }))
  if (ended === 0) throw new Problem('not_found', 'Session not found.')
}
