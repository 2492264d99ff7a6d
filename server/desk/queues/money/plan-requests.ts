import { DeskPlanRequest, type planRequestCalls } from '#contract/desk/money/plan-requests.ts'
import { accountOfSql } from '../../../ledger/index.ts'
import { approvePlanRequest, rejectPlanRequest } from '../../../plans/index.ts'
import { sql } from '../../../platform/database/db.ts'
import type { WhoOperates } from '../../../platform/http/index.ts'
import { type ClaimColumns, claimJoin, itemFields, type Owner, withOwners } from '../../actions/items.ts'
import { personFlags } from '../../lists/flags.ts'
import { dollars, filtered, inOrder, isoOf, type List, type Page, type QueueFilter } from '../../lists/read.ts'
import type { Claimed } from '../queue.ts'

interface PlanRequestRow extends ClaimColumns {
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
    r.from_plan, r.plan, 100 * (split_part(r.plan::text, '-', 2)::bigint - split_part(r.from_plan::text, '-', 2)::bigint) as price,
    a.balance, r.status, r.reason, r.decided_at, claim.*
  from plan_requests r join accounts a on a.id = ${sql.raw(accountOfSql('r.user_id', 'real'))}
    ${claimJoin('plan-requests', 'r.id')}
  where ${filtered('r', filter, page)}
  ${inOrder('r.id', page)}`

const toDeskPlanRequest = (who: WhoOperates, row: PlanRequestRow & Owner): DeskPlanRequest => ({
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

/** Requests for a higher plan: its price is taken from the real balance. */
export const planRequests: Claimed<'plan-requests', keyof typeof planRequestCalls, PlanRequestRow & Owner> = {
  name: 'plan-requests',
  schema: DeskPlanRequest,
  find: (id) => sql`
    select u.id as "userId", u.email, r.status = 'Pending' as open
    from plan_requests r join users u on u.id = r.user_id where r.id = ${id}`,
  pending: sql`
    select id, requested_at, 100 * (split_part(plan::text, '-', 2)::bigint - split_part(from_plan::text, '-', 2)::bigint),
      user_id, false, from_plan::text || ' to ' || plan::text
    from plan_requests where status = 'Pending'`,
  rows: (filter, page) => withOwners(planRequestRows(filter, page), page),
  view: (row, who) => toDeskPlanRequest(who, row),
  actions: {
    approve: {
      async step(tx, { id }, { deps }) {
        const { from, plan } = await approvePlanRequest(deps.plans, tx, id)
        return {
          before: { status: 'Pending', trading_plan: from },
          after: { status: 'Approved', trading_plan: plan },
        }
      },
    },
    reject: {
      async step(tx, { id }, { deps, body: { reason } }) {
        await rejectPlanRequest(deps.plans, tx, id, reason)
        return { before: { status: 'Pending' }, after: { status: 'Rejected' }, why: reason }
      },
    },
  },
}
