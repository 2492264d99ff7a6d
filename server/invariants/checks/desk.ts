import { accountOfSql, type Check } from '../../ledger/index.ts'

/** Invariants H1 and H2, and L9 for adjustments, as plain SQL over the raw rows. H3 is in ops/commands/verify-all.ts. */
export const deskChecks: readonly Check[] = [
  {
    name: 'H1',
    says: 'the audit chain verifies: no row was changed, removed or put in',
    sql: `select says from (select audit_broken() as says) chain where says is not null`,
  },
  {
    name: 'H2',
    says: 'each decision about what another operator proposed has exactly one record',
    sql: `select d.kind, d.id, d.action, d.times, count(a.n) as records from (
            select case kind when 'rulings' then 'complaints' else kind end as kind,
              case kind when 'rulings' then subject else id::text end as id, decided_by,
              case status when 'Approved' then 'approve' when 'Rejected' then 'reject'
                else case kind when 'rulings' then 'send-back' else 'withdraw' end end as action, count(*) as times
            from proposals p
            -- A void has the record of its trade, a rejection or return that of its deposit, and a credit by a ruling that of
            -- the ruling.
            where status <> 'Pending' and kind not in ('voids', 'deposit-rejections', 'deposit-returns')
              and not (kind = 'adjustments' and exists (select from complaint_rulings r where r.adjustment_id = p.id))
            group by 1, 2, 3, 4
          ) d left join audit a on a.item_kind = d.kind and a.item_id = d.id and a.operator_id = d.decided_by and a.action = d.action
          group by d.kind, d.id, d.decided_by, d.action, d.times having count(a.n) <> d.times`,
  },
  {
    name: 'H2',
    says: 'each approval that stands, each void and each switch of an exchange by an operator who joined at the desk has its record',
    sql: `with did(operator_id, kind, action) as (
            select operator_id, 'deposits', 'approve' from deposit_approvals
            union all select operator_id, 'withdrawals', 'approve' from withdrawal_approvals
            union all select proposed_by, 'trades', 'propose-void' from proposals where kind = 'voids'
            union all select switched_by, 'venues', case when is_out then 'take-out' else 'put-back' end from venue_switches
              where switched_by is not null
            union all select proposed_by, 'deposits', 'propose-rejection' from proposals where kind = 'deposit-rejections'
            union all select decided_by, 'deposits', 'complete-rejection' from proposals
              where kind = 'deposit-rejections' and status = 'Approved'
            union all select proposed_by, 'unknown-deposits', 'propose-return' from proposals where kind = 'deposit-returns'
            union all select decided_by, 'unknown-deposits', 'complete-return' from proposals
              where kind = 'deposit-returns' and status = 'Approved'
            union all select recorded_by, 'unknown-deposits', 'record' from unknown_deposits where recorded_by is not null
            union all select decided_by, 'trades', 'void' from proposals where kind = 'voids' and status = 'Approved'
          )
          select d.operator_id, d.kind, d.action, d.done, coalesce(a.records, 0) as records
          from (select operator_id, kind, action, count(*) as done from did group by operator_id, kind, action) d
          full join (
            -- Assigning an unknown deposit approves the deposit.
            select operator_id, case action when 'assign' then 'deposits' else item_kind end as kind,
              case when action in ('withdraw-approval', 'assign') then 'approve' else action end as action,
              sum(case action when 'withdraw-approval' then -1 else 1 end) as records
            from audit
            where (item_kind, action) in (('deposits', 'approve'), ('deposits', 'withdraw-approval'), ('withdrawals', 'approve'),
              ('withdrawals', 'withdraw-approval'), ('trades', 'propose-void'), ('trades', 'void'),
              ('deposits', 'propose-rejection'), ('deposits', 'complete-rejection'), ('unknown-deposits', 'assign'),
              ('unknown-deposits', 'record'), ('unknown-deposits', 'propose-return'), ('unknown-deposits', 'complete-return'),
              ('venues', 'take-out'), ('venues', 'put-back'))
            group by operator_id, 2, 3
          ) a using (operator_id, kind, action)
          where coalesce(d.done, 0) <> coalesce(a.records, 0)
            and exists (select from audit j where j.action = 'join' and j.operator_id = coalesce(d.operator_id, a.operator_id))`,
  },
  {
    name: 'H2',
    says: 'each instrument is as the approved proposals about it say',
    sql: `with approved as (
            select id, subject as symbol, payload ->> 'kind' as kind, payload -> 'set' as set
            from proposals where kind = 'instrument-changes' and status = 'Approved'
          ), newest_of as (
            -- An instrument's state must follow from the changes since it was last added.
            select symbol, max(id) filter (where kind = 'add') as added, max(id) filter (where kind = 'withdraw') as withdrawn,
              max(id) filter (where kind in ('add', 'change')) as terms,
              max(id) filter (where kind in ('add', 'close', 'reopen')) as closing
            from approved group by symbol
          )
          select coalesce(i.symbol, n.symbol) as symbol from instruments i full join newest_of n on n.symbol = i.symbol
          left join approved a on a.id = n.added left join approved t on t.id = n.terms left join approved c on c.id = n.closing
          where (i.symbol is null) <> (n.withdrawn is not null and n.withdrawn > coalesce(n.added, 0))
            or i.symbol is not null and to_jsonb(i) <> to_jsonb(i) || coalesce(a.set, '{}') || coalesce(t.set, '{}')
              || jsonb_build_object('closed_reason', c.set -> 'closed_reason')`,
  },
  {
    name: 'H2',
    says: 'each approved switch of an exchange counts, and no other',
    sql: `select r.id, s.id as switch from (select * from proposals where kind = 'venue-switches' and status = 'Approved') r
          full join (select * from venue_switches where switched_by is null) s on s.id = r.id
          where (s.venue = r.subject and s.is_out = (r.payload ->> 'is_out')::boolean) is not true`,
  },
  {
    name: 'H2',
    says: 'each decision about a proposal was made by a second person',
    sql: `select r.kind, r.id from proposals r join operators p on p.id = r.proposed_by join operators d on d.id = r.decided_by
          where r.status in ('Approved', 'Rejected') and email_key_of(p.email) = email_key_of(d.email)`,
  },
  {
    name: 'H2',
    says: 'each emergency lever was pulled on record, and released by two people with their approved release',
    sql: `select l.id, 'pulled' as what from levers l
          where (select count(*) from audit a where a.item_kind = 'levers' and a.item_id = l.id::text and a.action = 'pull'
            and a.operator_id = l.pulled_by and a.why = l.reason) <> 1
          union all
          select coalesce(l.id, r.subject::bigint), 'released'
          from (select * from levers where released_at is not null) l
          full join (select * from proposals where kind = 'lever-releases' and status = 'Approved') r on r.subject = l.id::text
          where l.id is null or r.id is null or r.decided_at > l.released_at`,
  },
  {
    name: 'H2',
    // A statement that had begun may commit a moment later.
    says: 'no trade was accepted more than a second after a lever stopped it, and before its release',
    sql: `select t.id as trade, l.id as lever from levers l
          join transfers m on m.cause = 'trade_open' and m.at > l.pulled_at + interval '1 second'
            and m.at < coalesce(l.released_at, 'infinity')
          join trades t on t.id = m.cause_id and (l.kind = 'real-trading' and t.mode = 'real'
            or l.kind = 'symbol' and t.symbol_id = (select i.id from instruments i where i.symbol = l.symbol))`,
  },
  {
    name: 'H2',
    says: 'each key of receipts that began without the signature of the one before was approved by two admins, for that reason',
    sql: `select k.id from proof_keys k
          where k.unsigned_reason is not null and k.unsigned_reason <> 'It began before keys were signed.' and not exists (
            select from proposals p where p.kind = 'proof-keys' and p.subject = k.id and p.status = 'Approved' and p.reason = k.unsigned_reason
          )`,
  },
  {
    name: 'H2',
    says: 'each approved second factor reset has its 24 hours, and what became of it has exactly one record',
    sql: `select r.id, f.outcome, count(a.n) as records from proposals r left join factor_resets f on f.id = r.id
          left join audit a on a.item_kind = 'factor-resets' and a.item_id = r.id::text and a.action in ('stop', 'done')
          where r.kind = 'factor-resets' group by r.id, r.status, f.id, f.outcome
          having (r.status = 'Approved') <> (f.id is not null) or count(a.n) <> case when f.outcome is null then 0 else 1 end
            or min(a.action) is distinct from case f.outcome when 'Stopped' then 'stop' when 'Done' then 'done' end`,
  },
  {
    name: 'H2',
    // Finished e-mails are deleted after 30 days.
    says: 'each approved second factor reset was e-mailed to its trader, so that they could stop it',
    sql: `select f.id, f.mail_id from factor_resets f join users u on u.id = f.user_id
          where f.mail_id <> 0 and f.due_at > clock_timestamp() - interval '30 days' and not exists (
            select from mails m where m.id = f.mail_id and lower(m.recipient) = lower(u.email)
          )`,
  },
  {
    name: 'H2',
    says: 'each lock was lifted by an operator with the role that set it, or by two people, and an admin ended by two',
    sql: `select 'lock' as what, f.id from lock_lifts f
          where f.proposal_id is not null and not exists (
            select from proposals p where p.kind = 'account-changes' and p.id = f.proposal_id and p.status = 'Approved'
              and p.subject = 'unlock ' || f.user_id and p.payload -> 'locks' ? f.kind::text
          ) or f.proposal_id is null and not exists (
            select from audit a where a.action = 'locks' and a.user_id = f.user_id and a.operator_id = f.operator_id
              and not (a.after ->> f.kind::text)::boolean
          )
          union all
          select 'locks on record', a.n from audit a, jsonb_each_text(a.before) b
          where a.action = 'locks' and a.at > (select min(at) from lock_lifts) and b.value = 'true' and a.after ->> b.key = 'false'
            and not exists (select from lock_lifts f where f.user_id = a.user_id and f.kind::text = b.key and f.operator_id = a.operator_id)
          union all
          select 'operator', o.id from operators o
          where o.ended_at > (select min(since) from approval_limits where of_rejections) and 'admin' = any (o.roles::text[])
            and not exists (
              select from proposals p where p.kind = 'operator-changes' and p.status = 'Approved'
                and p.payload ->> 'kind' = 'end' and p.payload ->> 'operator_id' = o.id::text
            )`,
  },
  {
    name: 'H2',
    says: 'each setting is what two people decided last',
    sql: `with decided as (
            select distinct on (c.key) c.key as setting, c.value from proposals p, jsonb_each(p.payload -> 'changes') c
            where p.kind = 'settings' and p.status = 'Approved' and c.key not in ('symbol_limits', 'loss_limits')
            order by c.key, p.decided_at desc
          ), decided_losses as (
            select distinct on (l ->> 'name') l ->> 'name' as name, nullif(l -> 'loss_max', 'null') as loss_max
            from proposals p, jsonb_array_elements(p.payload -> 'changes' -> 'loss_limits') l
            where p.kind = 'settings' and p.status = 'Approved' order by l ->> 'name', p.decided_at desc
          ), decided_symbols as (
            select distinct on (l ->> 'symbol') l ->> 'symbol' as symbol, nullif(l -> 'open_max', 'null') as open_max
            from proposals p, jsonb_array_elements(p.payload -> 'changes' -> 'symbol_limits') l
            where p.kind = 'settings' and p.status = 'Approved' order by l ->> 'symbol', p.decided_at desc
          ), now as (
            select jsonb_build_object('stake_max', t.stake_max::numeric / 100, 'open_stake_max', t.open_stake_max::numeric / 100,
              'worst_loss_percent', t.worst_loss_percent,
              'deposit_two_person_amount', c.deposit_two_person_above::numeric / 100,
              'withdraw_two_person_amount', c.withdrawal_two_person_above::numeric / 100,
              'deposit_operator_day_amount', c.deposit_operator_day_above::numeric / 100,
              'withdraw_operator_day_amount', c.withdrawal_operator_day_above::numeric / 100,
              'withdrawals_need_identity', c.withdrawals_need_identity,
              'btc_address', coalesce(c.btc_address, c.btc_extended_key),
              'eth_address', coalesce(c.eth_address, c.eth_extended_key)) as settings
            from trading_limits t, cashier_settings c
          )
          select d.setting, d.value as decided, n.settings -> d.setting as now from decided d, now n
          where d.value is distinct from n.settings -> d.setting
          union all
          select coalesce(d.name, r.name), d.loss_max, to_jsonb(r.loss_max::numeric / 100)
          from decided_losses d full join risk_limits r on r.name = d.name
          where d.loss_max is distinct from to_jsonb(r.loss_max::numeric / 100)
          union all
          -- Symbols of BCH and LTC came with a limit.
          select i.symbol, d.open_max, to_jsonb(s.open_max::numeric / 100)
          from instruments i left join decided_symbols d on d.symbol = i.symbol left join symbol_open s on s.symbol_id = i.id
          where case
            when d.symbol is not null then d.open_max is distinct from to_jsonb(s.open_max::numeric / 100)
            when i.base in ('BCH', 'LTC') and i.trading_type is not null and not exists (
              select from proposals p where p.kind = 'instrument-changes' and p.subject = i.symbol and p.payload ->> 'kind' = 'add'
            ) then s.open_max is distinct from 20000000
            else s.open_max is not null end`,
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
            or min(coalesce(i.status::text, r.status::text)) is distinct from min(case a.action when 'approve' then 'Approved' else 'Rejected' end)`,
  },
  {
    name: 'H2',
    says: 'each archived day has exactly one record, with the hash of its file',
    sql: `select d.day, count(a.n) as records from archived_days d
          full join (select * from audit where item_kind = 'archive' and action = 'archive') a
            on a.item_id = d.day::text and a.after ->> 'sha256' = encode(d.sha256, 'hex')
          group by d.day having d.day is null or count(a.n) <> 1`,
  },
  {
    name: 'H2',
    says: 'each approved change of terms says from when it counts, and nothing else does',
    sql: `select coalesce(p.id, c.id) as id from (
            select id, subject from proposals
            where kind = 'instrument-changes' and status = 'Approved' and payload ->> 'kind' = 'change'
          ) p full join terms_changes c on c.id = p.id and c.symbol = p.subject
          where p.id is null or c.id is null and p.id > (select min(id) from terms_changes)`,
  },
  {
    // A few seconds around the decision are left out: an order may be accepted, or settle, while it is made.
    name: 'H2',
    says: 'an approved change of terms waited for the open real trades that ended within five minutes',
    sql: `select c.id, t.id as trade from (
            select c.id, i.id as symbol_id, c.effective_from, p.decided_at, floor(extract(epoch from p.decided_at) * 1000)::bigint as at
            from terms_changes c join proposals p on p.id = c.id join instruments i on i.symbol = c.symbol
          ) c join trades t on t.symbol_id = c.symbol_id and t.mode = 'real' and t.trade_time < c.at - 5000
            and t.end_time between c.at + 5000 and c.at + 295000 and t.end_time >= c.effective_from
          where t.settled_at is null or t.settled_at > c.decided_at + interval '5 seconds'`,
  },
  {
    name: 'H2',
    says: 'each day whose demo trades expired has exactly one record, with the hash of what was stated of them',
    sql: `select d.day, count(a.n) as records from expired_days d
          full join (select * from audit where item_kind = 'archive' and action = 'expire') a
            on a.item_id = d.day::text and a.after ->> 'leaves' = encode(d.leaves, 'hex')
          group by d.day having d.day is null or count(a.n) <> 1`,
  },
  {
    name: 'H2',
    says: 'each run that expired grants of demo balance has exactly one record, with what it removed',
    sql: `select e.until, count(a.n) as records from expired_grants e
          full join (select * from audit where item_kind = 'archive' and action = 'expire-grants') a
            on a.item_id = e.until::text and a.after = jsonb_build_object('grants', e.grants, 'keys', e.keys, 'granted', e.granted::text)
          group by e.until having e.until is null or count(a.n) <> 1`,
  },
  {
    name: 'H2',
    says: 'what is locked was locked by an operator, on record, or is closed',
    sql: `select l.user_id, l.kind from user_locks l
          where not exists (
            select from audit a where a.action = 'locks' and a.user_id = l.user_id and a.operator_id = l.operator_id
              and (a.after ->> l.kind::text)::boolean
          )
          union all
          select u.id, 'sign_in' from users u where (u.sign_in_locked_at is not null)
            and not exists (select from user_locks l where l.user_id = u.id and l.kind = 'sign_in')
          union all
          select c.user_id, 'trading' from accounts c join users u on u.id = c.user_id where c.trading_locked
            <> (exists (select from user_locks l where l.user_id = c.user_id and l.kind = 'trading')
              or u.ended_at is not null and (u.email_confirmed_at is not null or u.guest_until is not null))`,
  },
  {
    name: 'L9',
    says: 'each approved adjustment moved exactly its amount, and nothing else was adjusted',
    sql: `select a.id as adjustment, m.cause_id as movement, a.amount, m.moved from (
            select a.* from adjustments a join proposals p on p.kind = 'adjustments' and p.id = a.id where p.status = 'Approved'
          ) a full join (
            select cause_id, account_id, sum(case when debit = 'house' then amount else -amount end) as moved
            from transfers where cause = 'adjust' group by cause_id, account_id
          ) m on m.cause_id = a.id
          where a.id is null or m.cause_id is null or a.amount <> m.moved
            or m.account_id <> case a.mode
              when 'demo' then ${accountOfSql('a.user_id', 'demo')} else ${accountOfSql('a.user_id', 'real')} end`,
  },
]
