import { accountOfSql, type Check } from '../ledger/index.ts'

/** Invariants H1 to H3, and L9 for adjustments, as plain SQL over the raw rows. */
export const deskChecks: readonly Check[] = [
  {
    name: 'H1',
    says: 'the audit chain verifies: no row was changed, removed or put in',
    sql: `select says from (select audit_broken() as says) chain where says is not null`,
  },
  {
    name: 'H2',
    says: 'each decision about an adjustment, a reversal, a setting or a second factor reset has exactly one record',
    sql: `select d.kind, d.id, count(a.n) as records from (
            select 'adjustments' as kind, id, decided_by, status from adjustments where status <> 'Pending'
            union all select 'settings', id, decided_by, status from settings_changes where status <> 'Pending'
            union all select 'reversals', id, decided_by, status from reversal_proposals where status <> 'Pending'
            union all select 'factor-resets', id, decided_by, case status when 'Rejected' then 'Rejected' else 'Approved' end
              from factor_resets where status <> 'Pending'
          ) d left join audit a on a.item_kind = d.kind and a.item_id = d.id::text and a.operator_id = d.decided_by
            and a.action = case d.status when 'Approved' then 'approve' else 'reject' end
          group by d.kind, d.id having count(a.n) <> 1`,
  },
  {
    name: 'H2',
    says: 'each approval that stands and each void of an operator who joined at the desk has its record',
    sql: `with did(operator_id, kind, action) as (
            select operator_id, 'deposits', 'approve' from deposit_approvals
            union all select operator_id, 'withdrawals', 'approve' from withdrawal_approvals
            union all select proposed_by, 'trades', 'propose-void' from trade_voids
            union all select completed_by, 'trades', 'void' from trade_voids where completed_by is not null
          )
          select d.operator_id, d.kind, d.action, d.done, coalesce(a.records, 0) as records
          from (select operator_id, kind, action, count(*) as done from did group by operator_id, kind, action) d
          full join (
            select operator_id, item_kind as kind, replace(action, 'withdraw-approval', 'approve') as action,
              sum(case action when 'withdraw-approval' then -1 else 1 end) as records
            from audit
            where (item_kind, action) in (('deposits', 'approve'), ('deposits', 'withdraw-approval'), ('withdrawals', 'approve'),
              ('withdrawals', 'withdraw-approval'), ('trades', 'propose-void'), ('trades', 'void'))
            group by operator_id, item_kind, 3
          ) a using (operator_id, kind, action)
          where coalesce(d.done, 0) <> coalesce(a.records, 0)
            and exists (select from audit j where j.action = 'join' and j.operator_id = coalesce(d.operator_id, a.operator_id))`,
  },
  {
    name: 'H2',
    says: 'what became of an approved second factor reset has exactly one record',
    sql: `select r.id, r.status, count(a.n) as records from factor_resets r
          left join audit a on a.item_kind = 'factor-resets' and a.item_id = r.id::text and a.action in ('stop', 'done')
          group by r.id, r.status
          having count(a.n) <> case when r.status in ('Stopped', 'Done') then 1 else 0 end
            or coalesce(min(a.action), '') <> case r.status when 'Stopped' then 'stop' when 'Done' then 'done' else '' end`,
  },
  {
    name: 'H2',
    says: 'an identity check and a plan request were decided as their one record says',
    sql: `select a.item_kind, a.item_id, count(*) as records from audit a
          left join identity_checks i on a.item_kind = 'identity-checks' and i.id::text = a.item_id
          left join plan_requests r on a.item_kind = 'plan-requests' and r.id::text = a.item_id
          where a.item_kind in ('identity-checks', 'plan-requests') and a.action in ('approve', 'reject')
          group by a.item_kind, a.item_id
          having count(*) <> 1
            or min(coalesce(i.status, r.status)) is distinct from min(case a.action when 'approve' then 'Approved' else 'Rejected' end)`,
  },
  {
    name: 'H2',
    says: 'what is locked was locked by an operator, on record',
    sql: `select l.user_id, l.kind from user_locks l
          where not exists (
            select from audit a where a.action = 'locks' and a.user_id = l.user_id and a.operator_id = l.operator_id
              and (a.after ->> l.kind)::boolean
          )
          union all
          select u.id, 'sign_in' from users u where (u.sign_in_locked_at is not null)
            and not exists (select from user_locks l where l.user_id = u.id and l.kind = 'sign_in')
          union all
          select c.user_id, 'trading' from accounts c where c.trading_locked
            <> exists (select from user_locks l where l.user_id = c.user_id and l.kind = 'trading')`,
  },
  {
    name: 'L9',
    says: 'each approved adjustment moved exactly its amount, by two people, and nothing else was adjusted',
    sql: `select a.id as adjustment, m.cause_id as movement, a.amount, m.moved from (
            select * from adjustments where status = 'Approved'
          ) a full join (
            select cause_id, account_id, sum(case when debit = 'house' then amount else -amount end) as moved
            from transfers where cause = 'adjust' group by cause_id, account_id
          ) m on m.cause_id = a.id
          where a.id is null or m.cause_id is null or a.amount <> m.moved or a.decided_by = a.proposed_by
            or m.account_id <> case a.book
              when 'demo' then ${accountOfSql('a.user_id', 'demo')} else ${accountOfSql('a.user_id', 'real')} end`,
  },
]
