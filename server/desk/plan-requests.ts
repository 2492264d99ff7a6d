import type { DeskPlanRequest } from '#contract/desk.ts'
import { usd, usdToNumber } from '#kernel/money.ts'
import { type Db, sql } from '../platform/db.ts'
import type { WhoOperates } from '../platform/http/index.ts'
import { flagsOfUsers } from './flags.ts'
import type { QueueFilter } from './identity-checks.ts'
import { type ClaimColumns, claimJoin, itemFields, parseNumber } from './items.ts'

interface Row extends ClaimColumns {
  id: bigint
  user_id: bigint
  email: string
  name: string
  created_at: Date
  from_plan: string
  plan: string
  price: bigint
  balance: bigint
  status: DeskPlanRequest['status']
  reason: string | null
  decided_at: Date | null
}

/** Requests for a higher plan, newest first. */
export async function planRequests(
  db: Db,
  who: WhoOperates,
  filter: QueueFilter,
  page: { before: bigint | undefined; limit: number },
): Promise<DeskPlanRequest[]> {
  const user = filter.user ? (parseNumber(filter.user) ?? 0n) : null
  const { rows } = await sql<Row>`
    select r.id, r.user_id, u.email, u.firstname || ' ' || u.lastname as name, r.requested_at as created_at, r.from_plan, r.plan,
      100 * (split_part(r.plan, '-', 2)::bigint - split_part(r.from_plan, '-', 2)::bigint) as price,
      a.balance, r.status, r.reason, r.decided_at, claim.*
    from plan_requests r join users u on u.id = r.user_id join accounts a on a.id = r.user_id * 2
      ${claimJoin('plan-requests', 'r.id')}
    where (${filter.status ?? null}::text is null or r.status = ${filter.status ?? null})
      and (${user}::bigint is null or r.user_id = ${user})
      and (${filter.id ?? null}::bigint is null or r.id = ${filter.id ?? null})
      and (${page.before ?? null}::bigint is null or r.id < ${page.before ?? null})
    order by r.id desc limit ${page.limit}`.execute(db)
  const flags = await flagsOfUsers(
    db,
    rows.map((row) => row.user_id),
  )
  return rows.map((row) => ({
    ...itemFields(who, row, String(row.id)),
    flags: flags.get(row.user_id) ?? [],
    from_plan: row.from_plan,
    plan: row.plan,
    price: usdToNumber(usd(row.price)),
    balance: usdToNumber(usd(row.balance)),
    status: row.status,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.decided_at === null ? {} : { decided_at: row.decided_at.toISOString() }),
  }))
}
