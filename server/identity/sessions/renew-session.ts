import type { Tokens } from '#contract/account/auth.ts'
import { Problem } from '#contract/problem.ts'
import { type Db, inTransaction, sql, type Tx } from '../../platform/database/db.ts'
import type { IdentityDeps } from '../deps.ts'
import { hashOf, seal, unseal } from '../passwords/secret.ts'
import { addGeneration, type Generation } from './session-store.ts'

/** Seconds in which a used renewal token returns the same child again, for two tabs that wake up together. */
const GRACE_SECONDS = 10

interface Renewed extends Generation {
  /** Cookie lifetime in seconds; undefined: until the browser closes. */
  cookieSeconds: number | undefined
}

interface RenewalRow {
  session_id: bigint
  user_id: bigint
  active: boolean
  end_reason: string | null
  remembered: boolean
  lives_seconds: number
  renewed: boolean
  in_grace: boolean
  child_hash: Buffer | null
  sealed_child: Buffer | null
}

/**
 * Exchanges a renewal token for the next generation. Each works once; a second use within 10 s, while its child is
 * still unused, returns that same child. Any other second use means that two parties have the token, so the session
 * ends. Throws `unauthenticated`.
 */
export async function renewSession(deps: IdentityDeps, renewal: string | undefined): Promise<Renewed> {
  if (renewal === undefined || !/^[\w-]{43}$/.test(renewal)) throw notSignedIn()
  const hash = hashOf(renewal)
  const outcome = await inTransaction(deps.db, async (tx): Promise<Renewed | { reusedBy: bigint }> => {
    const row = await lockRenewal(tx, hash)
    if (row?.end_reason === 'email_confirmed')
      throw new Problem('email_confirmed', 'Your e-mail is confirmed. Enter your password to continue.')
    if (!row?.active) throw notSignedIn()
    const cookieSeconds = row.remembered ? Math.floor(row.lives_seconds) : undefined
    if (!row.renewed) {
      const child = await addGeneration(tx, row.session_id)
      await markRenewed(tx, hash, child, renewal)
      return { ...child, cookieSeconds }
    }
    if (row.in_grace && row.sealed_child && row.child_hash && !(await isRenewed(tx, row.child_hash))) {
      const child: { renewal: string; tokens: Tokens } = JSON.parse(unseal(row.sealed_child, renewal))
      return { ...child, cookieSeconds }
    }
    await deps.sessions.end(tx, row.user_id, 'token_reused', { only: row.session_id })
    // Don't throw here: that would roll back the end of the session.
    return { reusedBy: row.user_id }
  })
  if (!('reusedBy' in outcome)) return outcome
  deps.log.warn({ user: String(outcome.reusedBy) }, 'a renewal token was reused: its session was ended')
  throw notSignedIn()
}

/** Returns the active session of a renewal token of any generation. */
export async function sessionOfRenewal(
  db: Db,
  renewal: string | undefined,
): Promise<{ userId: bigint; sessionId: bigint } | undefined> {
  if (renewal === undefined) return undefined
  const { rows } = await sql<{ id: bigint; user_id: bigint }>`
    select s.id, s.user_id from session_tokens t join sessions s on s.id = t.session_id
    where t.renewal_hash = ${hashOf(renewal)} and s.ended_at is null and s.expires_at > clock_timestamp()
  `.execute(db)
  return rows[0] && { userId: rows[0].user_id, sessionId: rows[0].id }
}

/** Locks the session first, which serializes its renewals, then reads the state under that lock. */
async function lockRenewal(tx: Tx, hash: Buffer): Promise<RenewalRow | undefined> {
  await sql`
    select from sessions where id = (select session_id from session_tokens where renewal_hash = ${hash}) for no key update
  `.execute(tx)
  const { rows } = await sql<RenewalRow>`
    select s.id as session_id, s.user_id, s.remembered, s.end_reason,
      s.ended_at is null and s.expires_at > clock_timestamp() as active,
      extract(epoch from s.expires_at - clock_timestamp())::float8 as lives_seconds,
      t.renewed_at is not null as renewed,
      coalesce(t.renewed_at > clock_timestamp() - make_interval(secs => ${GRACE_SECONDS}), false) as in_grace,
      t.child_hash, t.sealed_child
    from session_tokens t join sessions s on s.id = t.session_id where t.renewal_hash = ${hash}
  `.execute(tx)
  return rows[0]
}

const markRenewed = (tx: Tx, hash: Buffer, child: Generation, renewal: string) =>
  tx
    .updateTable('session_tokens')
    .set({
      renewed_at: sql`clock_timestamp()`,
      child_hash: hashOf(child.renewal),
      sealed_child: seal(JSON.stringify(child), renewal),
    })
    .where('renewal_hash', '=', hash)
    .execute()

async function isRenewed(tx: Tx, hash: Buffer): Promise<boolean> {
  const row = await tx
    .selectFrom('session_tokens')
    .select('renewed_at')
    .where('renewal_hash', '=', hash)
    .executeTakeFirst()
  return row?.renewed_at !== null
}

const notSignedIn = () => new Problem('unauthenticated', 'Please sign in.')
