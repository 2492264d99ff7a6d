import { PERIODS } from '#contract/account/guardrails.ts'
import { accountOf, dayOfSql, periodStartsSql, userOf } from '../ledger/index.ts'
import { type Db, sql } from '../platform/database/db.ts'
import type { Log } from '../platform/process/log.ts'
import { startLoop } from '../platform/process/loop.ts'
import type { Push } from '../platform/sockets/push.ts'
import { CHECK_DUE_SQL, spentSql } from './guards.sql.ts'

/** A break of this many seconds or more ends a session. A shorter one counts. */
const BREAK_SECONDS = 300
const COUNT_EVERY_MS = 15_000

/**
 * Counts time for traders who limit it or want reality checks ($1: accounts of people who are here). Several nodes may
 * count the same person: each adds only what passed since the last count. Waits for nobody: someone whose row is locked is counted
 * the next time.
 */
const PRESENT_SQL = `
with mine as materialized (
  select g.* from guards g
  where g.account_id = any ($1::bigint[]) and num_nonnulls(g.time_day, g.time_week, g.time_month, g.check_minutes) > 0
  order by g.account_id for no key update skip locked
), now as materialized (
  -- The day of tape time, as acceptance has it.
  select at, ${periodStartsSql(dayOfSql('greatest(extract(epoch from at) * 1000, (select t from tape_head))'))}
  from (select clock_timestamp() as at from (select count(*) from mine) after_the_locks) c
), passed as materialized (
  select g.*, n.*, coalesce(n.at - g.seen_at >= interval '${BREAK_SECONDS} seconds', true) as is_new,
    coalesce(greatest(0, floor(extract(epoch from n.at - g.seen_at))), 0)::int as seconds,
    ${CHECK_DUE_SQL} as was_due
  from mine g cross join now n
)
update guards g set
  seen_at = case when p.is_new then p.at else g.seen_at + make_interval(secs => p.seconds) end,
  session_from = case when p.is_new then p.at else g.session_from end,
  session_seq = case when p.is_new then (select a.seq from accounts a where a.id = g.account_id) else g.session_seq end,
  session_seconds = case when p.is_new then 0 else g.session_seconds + p.seconds end,
  -- What was due stays due.
  unchecked_seconds = case when not p.is_new then g.unchecked_seconds + p.seconds when p.was_due then g.unchecked_seconds else 0 end,
  time_on = greatest(g.time_on, p.day_from),
  ${PERIODS.map((period) => `spent_${period} = ${spentSql('g', period, 'p')} + case when p.is_new then 0 else p.seconds end`).join(',\n  ')}
from passed p where g.account_id = p.account_id
returning g.account_id, ${CHECK_DUE_SQL} as is_due, p.was_due`

/** Counts people who are here. Returns those whose reality check has just become due. */
export async function countPresent(db: Db, userIds: readonly bigint[]): Promise<bigint[]> {
  if (userIds.length === 0) return []
  const accounts = userIds.map((userId) => accountOf(userId, 'real'))
  const { rows } = await sql
    .raw<{ account_id: bigint; is_due: boolean; was_due: boolean }>(
      PRESENT_SQL.replace('$1', `'{${accounts.join(',')}}'`),
    )
    .execute(db)
  return rows.filter((row) => row.is_due && !row.was_due).map((row) => userOf(row.account_id))
}

/** Counts the time of the people whose sockets or requests reach this node. */
export function startPresence(deps: {
  db: Db
  log: Log
  push: Pick<Push, 'sendToUser'>
  /** Who is here: with an open socket, or with a request since the last call. */
  present(): bigint[]
  everyMs?: number
}): { stop(): Promise<void> } {
  return startLoop('session time', deps.everyMs ?? COUNT_EVERY_MS, deps.log, async () => {
    for (const userId of await countPresent(deps.db, deps.present()))
      deps.push.sendToUser(userId, { op: 'guardrails', data: null })
  })
}
