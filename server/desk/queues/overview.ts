import type { RawBuilder } from 'kysely'
import type { DeskOverview } from '#contract/desk/overview.ts'
import { DONE_STEPS, QUEUES as QUEUE_TERMS } from '#contract/desk/terms.ts'
import { type Usd, usdToNumber } from '#kernel/money.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { ACTIVE_CLAIM } from '../actions/claims.ts'
import { subjectId } from '../actions/define-proposal.ts'
import type { DeskDeps } from '../deps.ts'
import { operatorChanges } from '../office/operator-changes.ts'
import { deskPeople } from '../office/role-holders.ts'
import { settingsChanges } from '../office/settings.ts'
import { sourceOf } from '../risk/feeds.ts'
import { QUEUES } from './index.ts'

interface Row {
  queue: string
  waiting: number
  claimed: number
  mine: number
  second: number
  oldest: Date | null
  amount: Usd
}

/** What the overview counts and the inbox lists, in the overview's order. */
export const PENDING: readonly { name: string; pending: RawBuilder<unknown> }[] = [
  ...QUEUES,
  {
    name: 'voids',
    pending: sql`
      select t.id, r.proposed_at, t.stake, a.user_id, true, r.reason from proposals r join trades t on t.id = ${subjectId('voids')}
      join accounts a on a.id = t.account_id
      where r.kind = 'voids' and r.status = 'Pending' and t.status = 'Pending'`,
  },
  settingsChanges,
  operatorChanges,
]

/** Names and types the columns of what is pending. */
export const ITEM_COLUMNS = sql`item(id, at, amount, user_id, second, what)`
export const ITEM = sql`item.id::bigint, item.at, item.amount::bigint, item.user_id::bigint, item.second`

/** Returns how many items wait in each queue, and the age of the oldest, for monitoring. */
export async function deskBacklog(db: Db): Promise<{ queue: string; waiting: number; oldestSeconds: number }[]> {
  const { rows } = await sql<{ queue: string; waiting: number; oldest: number }>`
    ${sql.join(
      PENDING.map(
        ({ name, pending }) => sql`
          select ${sql.lit(name)} as queue, count(*)::int as waiting,
            coalesce(extract(epoch from clock_timestamp() - min(at)), 0)::float8 as oldest
          from (${pending}) item(id, at, amount)`,
      ),
      sql` union all `,
    )}`.execute(db)
  return rows.map(({ queue, waiting, oldest }) => ({ queue, waiting, oldestSeconds: oldest }))
}

/**
 * Returns what is pending in each queue and what needs a second approval: count, age of the oldest item, and total
 * amount; and the people who could decide.
 */
export async function overview(deps: Pick<DeskDeps, 'db' | 'prices'>, who: WhoOperates): Promise<DeskOverview> {
  const { rows } = await sql<Row>`
    with waiting(queue, id, at, amount, user_id, second) as (
      ${sql.join(
        PENDING.map(({ name, pending }) => sql`select ${sql.lit(name)}, ${ITEM} from (${pending}) ${ITEM_COLUMNS}`),
        sql` union all `,
      )}
    ), held as (
      select queue, item_id, operator_id from claims where ${ACTIVE_CLAIM}
    )
    select q.queue, count(w.id)::int as waiting, count(h.operator_id)::int as claimed,
      (count(*) filter (where h.operator_id = ${who.operatorId}))::int as mine,
      (count(*) filter (where w.second))::int as second, min(w.at) as oldest,
      coalesce(sum(w.amount), 0)::bigint as amount
    from unnest(array[${sql.join(PENDING.map(({ name }) => sql.lit(name)))}])
      with ordinality as q(queue, place)
    left join waiting w on w.queue = q.queue left join held h on h.queue = w.queue and h.item_id = w.id
    group by q.queue, q.place order by q.place`.execute(deps.db)
  const last_done = await lastDone(deps.db, who)
  const { tape, instruments } = deps.prices
  return {
    queues: rows.map((row) => ({
      queue: row.queue,
      waiting: row.waiting,
      unclaimed: row.waiting - row.claimed,
      mine: row.mine,
      second: row.second,
      oldest_at: row.oldest?.toISOString() ?? null,
      amount: usdToNumber(row.amount),
    })),
    last_done,
    people: await deskPeople(deps.db),
    feeds: {
      source: sourceOf(deps.prices),
      health: deps.prices.health(),
      stale: instruments
        .current()
        .filter((one) => one.tradingType !== null && tape.status(one.symbol).status === 'stale').length,
    },
  }
}

/** The newest rows of the audit log that are searched, so that the search costs the same for every role. */
const RECENT = 500

async function lastDone(db: Db, who: WhoOperates): Promise<DeskOverview['last_done']> {
  const seen = QUEUES.map(({ name }) => name).filter((name) =>
    QUEUE_TERMS[name].sees.some((role) => who.roles.includes(role)),
  )
  if (seen.length === 0) return null
  const { rows } = await sql<{
    queue: string
    id: string
    user_id: bigint | null
    step: (typeof DONE_STEPS)[number]
    at: Date
    operator_id: bigint
    operator: string
  }>`
    select item_kind as queue, item_id as id, user_id, action as step, at, operator_id, operator
    from (select * from audit order by n desc limit ${sql.lit(RECENT)}) recent
    where operator_id is not null and item_kind in (${sql.join(seen)}) and action in (${sql.join(DONE_STEPS)})
    order by n desc limit 1`.execute(db)
  const [row] = rows
  if (!row) return null
  return {
    queue: row.queue,
    id: row.id,
    user_id: row.user_id === null ? null : String(row.user_id),
    step: row.step,
    at: row.at.toISOString(),
    by: { operator_id: String(row.operator_id), email: row.operator, mine: row.operator_id === who.operatorId },
  }
}
