import type { DeskPlanRequest } from '#contract/desk/plan-requests.ts'
import { accountOfSql } from '../../ledger/index.ts'
import { type Db, sql } from '../../platform/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import {
  type ClaimColumns,
  claimJoin,
  itemFields,
  type Owner,
  parseNumber,
  type QueueFilter,
  withOwners,
} from '../actions/items.ts'
import { personFlags } from '../lists/flags.ts'
import { dollars, inOrder, isAfter, isoOf, type List, type Page, readList, where } from '../lists/read.ts'

export interface PlanRequestRow extends ClaimColumns {
  id: string
  user_id: string
  created_at: string
  from_plan: string
  plan: string
  price: number
  balance: number
  status: DeskPlanRequest['status']
  reason: string | null
  decided_at: string | null
}

/** Selects plan upgrade requests, newest first. */
export const planRequestRows = (filter: QueueFilter, page: Page): List<PlanRequestRow> => sql`
  select r.id::text, r.user_id::text, r.requested_at as created_at,
    r.from_plan, r.plan, 100 * (split_part(r.plan, '-', 2)::bigint - split_part(r.from_plan, '-', 2)::bigint) as price,
    a.balance, r.status, r.reason, r.decided_at, claim.*
  from plan_requests r join accounts a on a.id = ${sql.raw(accountOfSql('r.user_id', 'real'))}
    ${claimJoin('plan-requests', 'r.id')}
  where ${where(
    filter.status !== undefined && sql`r.status = ${sql.lit(filter.status)}`,
    !!filter.user && sql`r.user_id = ${parseNumber(filter.user) ?? 0n}`,
    filter.id !== undefined && sql`r.id = ${filter.id}`,
    isAfter('r.id', page),
  )}
  ${inOrder('r.id', page)}`

export const toDeskPlanRequest = (who: WhoOperates, row: PlanRequestRow & Owner): DeskPlanRequest => ({
  ...itemFields(who, row, row.id),
  flags: personFlags(row),
  from_plan: row.from_plan,
  plan: row.plan,
  price: dollars(row.price),
  balance: dollars(row.balance),
  status: row.status,
  ...(row.reason === null ? {} : { reason: row.reason }),
  ...(row.decided_at === null ? {} : { decided_at: isoOf(row.decided_at) }),
})

/** Lists plan upgrade requests, newest first. */
export const planRequests = async (
  db: Db,
  who: WhoOperates,
  filter: QueueFilter,
  page: Page,
): Promise<DeskPlanRequest[]> =>
  (await readList(db, withOwners(planRequestRows(filter, page), page))).map((row) => toDeskPlanRequest(who, row))
