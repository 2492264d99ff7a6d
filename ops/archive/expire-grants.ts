import { first } from '#kernel/must.ts'
import { audited, HOST } from '#server/desk/index.ts'
import { type Db, sql, type Tx } from '#server/platform/database/db.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'
import { beginRemoval, NothingToRemove, RESULT } from './removal.ts'

interface ExpiredGrants {
  /** Grants of demo balance: the first one of an account, and its resets. */
  grants: number
  /** Keys of resets. */
  keys: number
}

/** The grants of days before `until` (YYYY-MM-DD). An account's newest movement always stays. */
const grantsUntil = (until: string) => sql`
  from transfers m join accounts a on a.id = m.account_id
  where m.cause = 'demo_grant' and m.at < ${until}::date::timestamp at time zone 'UTC' and m.account_seq < a.seq`
const keysUntil = (until: string) => sql`
  from request_keys k where k.effect = 'demo_reset' and k.at < ${until}::date::timestamp at time zone 'UTC'`

/** Counts the grants and keys that would be removed. */
export async function countGrants(db: Db, until: string): Promise<ExpiredGrants> {
  const { rows } = await sql<ExpiredGrants>`
    select (select count(*)::int ${grantsUntil(until)}) as grants, (select count(*)::int ${keysUntil(until)}) as keys`.execute(
    db,
  )
  return first(rows)
}

/**
 * Removes the grants of demo balance of the days before `until`, and the keys of resets, in one transaction. Their accounts
 * keep the sums. Returns undefined if there is nothing to remove.
 */
export async function expireGrants(db: Db, until: string): Promise<ExpiredGrants | undefined> {
  let outcome: ExpiredGrants | undefined
  await audited(db, HOST, async (tx) => {
    await beginRemoval(tx)
    outcome = await remove(tx, until)
    const { rows } = await sql<{ granted: string }>`
      select granted::text from expired_grants where until = ${until}::date`.execute(tx)
    const after = { ...outcome, granted: first(rows).granted }
    return { entry: { action: 'expire-grants', item: { kind: 'archive', id: until }, after }, answer: undefined }
  }).catch((error: unknown) => {
    if (!(error instanceof NothingToRemove)) throw error
  })
  return outcome
}

async function remove(tx: Tx, until: string): Promise<ExpiredGrants> {
  const { rows: before } = await sql`select from expired_grants where until = ${until}::date`.execute(tx)
  if (before.length > 0) throw new NothingToRemove()
  await sql`
    create temporary table leaving_grants on commit drop as
    select m.cause_id, m.account_id, m.account_seq, m.at, ${sql.raw(RESULT)} as result ${grantsUntil(until)}`.execute(
    tx,
  )
  const { rows } = await sql<ExpiredGrants>`
    insert into expired_grants (until, grants, granted, last_at, keys)
    select ${until}::date, m.grants, m.granted, m.last_at, k.keys
    from (select count(*) as grants, coalesce(sum(result), 0) as granted, max(at) as last_at from leaving_grants) m,
      (select count(*) as keys ${keysUntil(until)}) k
    where m.grants + k.keys > 0 returning grants::int, keys::int`.execute(tx)
  const [recorded] = rows
  if (!recorded) throw new NothingToRemove()
  await sql`
    insert into expired_grant_sums as s (account_id, grants, granted, last_seq, last_at)
    select account_id, count(*), sum(result), max(account_seq), max(at) from leaving_grants group by account_id
    on conflict (account_id) do update set grants = s.grants + excluded.grants, granted = s.granted + excluded.granted,
      last_seq = greatest(s.last_seq, excluded.last_seq), last_at = greatest(s.last_at, excluded.last_at)`.execute(tx)
  const movements = await sql`
    delete from transfers m using leaving_grants l where m.cause = 'demo_grant' and m.cause_id = l.cause_id`.execute(tx)
  const keys = await sql`delete ${keysUntil(until)}`.execute(tx)
  // The database compares them with the record, too.
  if (movements.numAffectedRows !== BigInt(recorded.grants) || keys.numAffectedRows !== BigInt(recorded.keys))
    throw new StartProblem('The rows changed while they were removed: nothing was removed.')
  return recorded
}
