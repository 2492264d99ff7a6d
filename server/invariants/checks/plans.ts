import { accountOfSql, type Check } from '../../ledger/index.ts'

/** Invariant L9 for plans, as plain SQL over the raw rows. */
export const planChecks: readonly Check[] = [
  {
    name: 'L9',
    says: 'each paid plan took exactly its price from the real balance, once, and nothing else was charged',
    sql: `select p.id as charge, m.cause_id as movement, p.amount, m.amount as moved from plan_charges p
          full join (select * from transfers where cause = 'plan_charge') m on m.cause_id = p.id
          where p.id is null or m.cause_id is null or p.amount <> m.amount or m.account_id <> ${accountOfSql('p.user_id', 'real')} or m.mode <> 'real'`,
  },
  {
    name: 'L9',
    says: "a trader's plan is the last one paid, and its charges add up to its price",
    sql: `select u.id, u.trading_plan, p.plan, p.paid from users u
          left join (
            select user_id, (array_agg(plan order by id desc))[1] as plan, sum(amount) as paid from plan_charges group by user_id
          ) p on p.user_id = u.id
          where u.trading_plan::text <> coalesce(p.plan::text, '')
            or coalesce(p.paid, 0) <> 100 * coalesce(nullif(split_part(u.trading_plan::text, '-', 2), '')::bigint, 0)`,
  },
  {
    name: 'L9',
    says: "a trader's displayed request is their pending one, and each approved request was paid",
    sql: `select u.id, u.plan_request, r.plan from users u
          left join plan_requests r on r.user_id = u.id and r.status = 'Pending'
          where u.plan_request is distinct from r.plan
          union all
          select r.user_id, r.plan, p.plan from plan_requests r left join plan_charges p on p.request_id = r.id
          where (r.status = 'Approved') <> (p.id is not null) or (p.id is not null and p.plan <> r.plan)`,
  },
]
