import { Problem } from '#contract/problem.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import type { RequestInfo, Who } from '../../platform/http/index.ts'
import type { IdentityDeps } from '../deps.ts'
import { type Shown, secondFactorOf, showFactor } from '../factors/second-factor.ts'
import { hashOf, newSecret } from '../passwords/secret.ts'

const MINUTES = 5
/** Pending or confirmed calls per session; older ones are dropped. */
const KEPT_PER_SESSION = 20

/**
 * Requires a fresh second factor for a call: a single-use token that `POST /auth/step-up` issued for exactly this call.
 * Without one, the call is recorded and rejected with 428. Accounts without a second factor pass.
 */
export async function requireStepUp(
  db: Db,
  who: Who,
  request: Pick<RequestInfo, 'stepUp' | 'fingerprint'>,
): Promise<void> {
  if (!(await secondFactorOf(db, who.userId)).on) return
  const fingerprint = request.fingerprint()
  if (request.stepUp !== undefined) {
    const { rows } = await sql`
      delete from step_ups where session_id = ${who.sessionId} and fingerprint = ${fingerprint}
        and token_hash = ${hashOf(request.stepUp)} and expires_at > clock_timestamp() returning 1`.execute(db)
    if (rows.length === 1) return
  }
  // Each call is recorded separately: it uses no other call's token, and repeating it only makes it the newest.
  await sql`
    insert into step_ups (session_id, user_id, fingerprint) values (${who.sessionId}, ${who.userId}, ${fingerprint})
    on conflict (session_id, fingerprint) where token_hash is null do update set asked_at = excluded.asked_at`.execute(
    db,
  )
  await sql`
    delete from step_ups where session_id = ${who.sessionId} and id in (
      (select id from step_ups where session_id = ${who.sessionId} order by asked_at desc, id desc offset ${KEPT_PER_SESSION})
      union all select id from step_ups where session_id = ${who.sessionId}
        and greatest(asked_at, expires_at - make_interval(mins => ${MINUTES})) < clock_timestamp() - make_interval(mins => ${MINUTES})
    )`.execute(db)
  throw new Problem('step_up_required', "Confirm with your second factor that it's you.")
}

/**
 * Confirms the last rejected call of this session. Throws `wrong_state` when none is pending, and
 * `invalid_credentials`.
 */
export async function stepUp(deps: IdentityDeps, who: Who, shown: Shown): Promise<{ token: string; expires: string }> {
  const waiting = await sql<{ id: bigint }>`
    select id from step_ups where session_id = ${who.sessionId} and token_hash is null
      and asked_at > clock_timestamp() - make_interval(mins => ${MINUTES})
    order by asked_at desc, id desc limit 1`.execute(deps.db)
  const call = waiting.rows[0]
  if (!call) throw nothingWaits()
  await showFactor(deps, who.userId, 'step_up', shown)
  const token = newSecret()
  // Confirm the call that was pending when the factor was presented, not one rejected meanwhile.
  const { rows } = await sql<{ expires_at: Date }>`
    update step_ups set token_hash = ${hashOf(token)}, expires_at = clock_timestamp() + make_interval(mins => ${MINUTES})
    where id = ${call.id} and token_hash is null returning expires_at`.execute(deps.db)
  if (!rows[0]) throw nothingWaits()
  return { token, expires: rows[0].expires_at.toISOString() }
}

const nothingWaits = () => new Problem('wrong_state', "There's nothing to confirm. Start again.")
