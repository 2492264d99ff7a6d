import { accountOfSql, type Check } from '../../ledger/index.ts'

/** Selects who approved the deposits that were credited and the withdrawals that were approved, by person. */
const APPROVED = `
  select 'deposit' as item, d.id, d.user_id, d.submitted, d.credited as amount, d.decided_at, a.at, email_key_of(o.email) as person
  from deposits d join deposit_approvals a on a.deposit_id = d.id join operators o on o.id = a.operator_id
  where d.status = 'Approved' and d.method = 'crypto'
  union all
  select 'withdrawal', w.id, w.user_id, null, w.amount, w.processing_at, a.at, email_key_of(o.email)
  from withdrawals w join withdrawal_approvals a on a.withdrawal_id = w.id join operators o on o.id = a.operator_id
  where w.status in ('Processing', 'Paid')`

/** Those that one person approved alone. */
const ALONE = `alone as (
  select item, id, user_id, submitted, amount, decided_at, min(at) as at, min(person) as person from approved
  group by item, id, user_id, submitted, amount, decided_at having count(distinct person) = 1
)`

/** A minute less than the day of the limits: an approval is older than its decision. */
const A_DAY = `order by at range between interval '23 hours 59 minutes' preceding and current row`

/** Invariants L8, L9 and W1 to W3 for deposits and withdrawals, as plain SQL over the raw rows. */
export const cashierChecks: readonly Check[] = [
  {
    name: 'L8',
    says: "hold is the sum of the trader's open withdrawals",
    sql: `select a.id, a.hold, coalesce(w.open, 0) as open_withdrawals from accounts a
          left join (
            select ${accountOfSql('user_id', 'real')} as id, sum(amount) as open from withdrawals where status in ('Pending', 'Processing') group by user_id
          ) w on w.id = a.id
          where a.hold <> coalesce(w.open, 0)`,
  },
  {
    name: 'L9',
    says: 'each approved deposit was credited exactly, once, and nothing else was',
    sql: `select d.id as deposit, m.cause_id as movement, d.credited, m.amount from (select * from deposits where status = 'Approved') d
          full join (
            select cause_id, min(account_id) as account_id, sum(amount) as amount from transfers where cause = 'deposit_credit' group by cause_id
          ) m on m.cause_id = d.id
          where d.id is null or m.cause_id is null or d.credited <> m.amount or m.account_id <> ${accountOfSql('d.user_id', 'real')}`,
  },
  {
    name: 'L9',
    says: 'deposits are reversed by exactly what refunds and disputes took, never by more than was credited',
    sql: `select r.id as reversal, m.cause_id as movement, r.amount, m.amount as moved from deposit_reversals r
          full join (
            select cause_id, min(account_id) as account_id, sum(amount) as amount from transfers where cause = 'deposit_reversal' group by cause_id
          ) m on m.cause_id = r.id
          left join deposits d on d.id = r.deposit_id
          where r.id is null or m.cause_id is null or r.amount <> m.amount or m.account_id <> ${accountOfSql('d.user_id', 'real')}
          union all
          select d.id, null, d.reversed, coalesce(r.total, 0) - coalesce(i.total, 0) from deposits d
          left join (select deposit_id, sum(amount) as total from deposit_reversals group by deposit_id) r on r.deposit_id = d.id
          left join (select deposit_id, sum(amount) as total from deposit_reinstatements group by deposit_id) i on i.deposit_id = d.id
          where d.reversed <> coalesce(r.total, 0) - coalesce(i.total, 0) or d.reversed > coalesce(d.credited, 0)`,
  },
  {
    name: 'L9',
    says: 'each reinstated deposit was credited exactly, once',
    sql: `select i.id as reinstatement, m.cause_id as movement, i.amount, m.amount as moved from (
            select i.*, d.user_id from deposit_reinstatements i join deposits d on d.id = i.deposit_id
          ) i
          full join (
            select cause_id, min(account_id) as account_id, sum(amount) as amount from transfers where cause = 'deposit_reinstatement' group by cause_id
          ) m on m.cause_id = i.id
          where i.id is null or m.cause_id is null or i.amount <> m.amount or m.account_id <> ${accountOfSql('i.user_id', 'real')}`,
  },
  {
    name: 'L9',
    says: 'each card deposit is reversed by exactly what its payment events and operators reversed',
    sql: `with named as (
            select payment, reference, case when bool_or(effect = 'returned') then 0 else max(amount) end as amount
            from card_events where effect is not null group by payment, reference
          ), wanted as (
            select d.id, d.reversed, least(d.credited,
              coalesce((select sum(n.amount) from named n where n.payment = d.provider_reference), 0) + coalesce((
                select sum(r.amount) from deposit_reversals r where r.deposit_id = d.id
                  and not exists (select from named n where n.payment = d.provider_reference and n.reference = r.reference)
                  and not exists (select from card_events e where e.id = r.reference)
              ), 0)) as by_events
            from deposits d where d.status = 'Approved' and d.method = 'card'
              and exists (select from named n where n.payment = d.provider_reference)
          )
          select * from wanted where reversed <> by_events`,
  },
  {
    name: 'L9',
    says: "a trader's lists add up to their available balance, in both modes",
    sql: `select a.id, a.balance, a.owed, coalesce(parts.total, 0) as total from accounts a
          left join (
            select account_id, sum(amount) as total from (
              select ${accountOfSql('user_id', 'real')} as account_id, credited - reversed as amount from deposits where status = 'Approved'
              union all
              select ${accountOfSql('user_id', 'real')}, -amount from withdrawals where status not in ('Rejected', 'Cancelled')
              union all
              select account_id, coalesce(payout, 0) - stake from trades
              union all
              select account_id, result from archived_sums
              union all
              select account_id, granted from expired_grant_sums
              union all
              select ${accountOfSql('user_id', 'real')}, -amount from plan_charges
              union all
              select account_id, case when credit in ('balance', 'owed') then amount else -amount end from transfers
              where cause in ('adjust', 'demo_grant', 'trade_remedy')
            ) part group by account_id
          ) parts on parts.account_id = a.id
          where a.balance + a.owed <> coalesce(parts.total, 0)`,
  },
  {
    name: 'W1',
    says: "a withdrawal's money is where its status says: held, paid out or returned, each once",
    sql: `select w.id as withdrawal, m.cause_id as movement, w.status, m.causes from withdrawals w
          full join (
            select cause_id, string_agg(cause::text, ' ' order by cause::text) as causes, min(amount) as least, max(amount) as most,
              min(account_id) as first_account, max(account_id) as last_account
            from transfers where cause in ('withdraw_hold', 'withdraw_paid', 'withdraw_release') group by cause_id
          ) m on m.cause_id = w.id
          where w.id is null or m.cause_id is null
            or m.causes <> case w.status
              when 'Paid' then 'withdraw_hold withdraw_paid'
              when 'Rejected' then 'withdraw_hold withdraw_release'
              when 'Cancelled' then 'withdraw_hold withdraw_release'
              else 'withdraw_hold' end
            or m.least <> w.amount or m.most <> w.amount or m.first_account <> ${accountOfSql('w.user_id', 'real')} or m.last_account <> ${accountOfSql('w.user_id', 'real')}`,
  },
  {
    name: 'W1',
    says: 'each coin withdrawal was paid by one transaction, with its amount at its rate, and no transaction paid anything else',
    sql: `select coalesce(w.id, t.payout_id) as withdrawal, w.reference, t.transaction_id, w.amount, w.coin_amount, w.rate
          from (
            select * from withdrawals where status = 'Paid' and coin is not null
              and (payout_id is not null or ended_at >= (select coin_transactions_since from cashier_settings))
          ) w
          full join coin_transactions t on t.coin = w.coin and t.transaction_id = w.reference and t.payout_id = w.payout_id
          where w.id is null or t.payout_id is null or w.rate is null or w.payout_id <> coalesce((
              select batch_id from payout_batch_items i where i.withdrawal_id = w.id and i.removed_at is null
            ), w.id)
            or abs(w.coin_amount * w.rate * 100 - w.amount) > w.rate / 1000000`,
  },
  {
    name: 'W2',
    says: 'no trader was paid more than they deposited and won, less what was reversed before the payment',
    sql: `with paid as (
            select ${accountOfSql('user_id', 'real')} as account_id, sum(amount) as total, max(ended_at) as last_at
            from withdrawals where status = 'Paid' group by user_id
          ), got as (
            select account_id, sum(amount) as total from (
              select ${accountOfSql('user_id', 'real')} as account_id, credited as amount from deposits where status = 'Approved'
              union all
              -- A reversal after the last payment leaves a debt, not a mistake.
              select p.account_id, -r.amount from deposit_reversals r join deposits d on d.id = r.deposit_id
              join paid p on p.account_id = ${accountOfSql('d.user_id', 'real')}
              where r.at < p.last_at
              union all
              select ${accountOfSql('d.user_id', 'real')}, i.amount from deposit_reinstatements i join deposits d on d.id = i.deposit_id
              union all
              select account_id, coalesce(payout, 0) - stake from trades
              union all
              select account_id, result from archived_sums
              union all
              select ${accountOfSql('user_id', 'real')}, -amount from plan_charges
              union all
              select account_id, case when credit in ('balance', 'owed') then amount else -amount end from transfers
              where cause in ('adjust', 'trade_remedy')
            ) part where account_id in (select account_id from paid) group by account_id
          )
          select account_id as id, paid.total as paid, coalesce(got.total, 0) as got from paid left join got using (account_id)
          where paid.total > coalesce(got.total, 0)`,
  },
  {
    name: 'W2',
    says: 'no debtor was paid',
    sql: `select account_id, account_seq, cause_id as withdrawal, owed from (
            select account_id, account_seq, cause, cause_id,
              sum(case when credit = 'owed' then amount when debit = 'owed' then -amount else 0 end)
                over (partition by account_id order by account_seq) as owed
            from transfers
            where account_id in (select account_id from transfers where debit = 'owed')
          ) running where cause = 'withdraw_paid' and owed < 0`,
  },
  {
    name: 'W3',
    says: 'each approved item has an approval, with the amount that was credited',
    sql: `select d.id, d.credited, a.persons from deposits d
          left join (select deposit_id, count(*) as persons, min(amount) as least, max(amount) as most from deposit_approvals group by deposit_id) a
            on a.deposit_id = d.id
          where d.status = 'Approved' and d.method = 'crypto'
            and (a.deposit_id is null or a.least <> d.credited or a.most <> d.credited)
          union all
          select w.id, w.amount, 0 from withdrawals w
          where w.processing_at is not null and not exists (select from withdrawal_approvals where withdrawal_id = w.id)`,
  },
  {
    name: 'W3',
    says: 'each credited coin deposit names its arrival, and no more was credited than arrived, at the rate of its request or, if it came early or late, of its time',
    sql: `select d.id, d.credited, a.amount, a.rate from deposits d left join deposit_arrivals a on a.deposit_id = d.id
          where a.deposit_id is null and d.status = 'Approved' and d.method = 'crypto'
              and d.decided_at >= (select arrivals_since from cashier_settings)
            or d.credited > a.amount or abs(a.coins * a.rate * 100 - a.amount) > 0.5
            or a.user_id <> d.user_id or a.coin <> d.coin or a.coin is not null and d.coin is null
            or (d.requested_at is null or a.arrived_at between d.requested_at and d.requested_at + interval '15 minutes') and a.rate <> d.rate`,
  },
  {
    name: 'W3',
    says: 'each payment without a deposit was assigned as it is and approved by two people, or sent back by two',
    sql: `select u.id, d.id as deposit from unknown_deposits u join deposits d on d.id = u.deposit_id
          where (d.submitted, d.coin, d.coin_amount, d.rate, d.address) is distinct from (u.amount, u.coin, u.coins, u.rate, u.address)
            or d.status = 'Approved' and (u.returned_at is not null or d.credited > u.amount
              or u.coin is null and d.provider_reference is distinct from u.reference or 2 > (
                select count(distinct email_key_of(o.email)) from deposit_approvals a join operators o on o.id = a.operator_id
                where a.deposit_id = d.id and a.amount = d.credited
              ))
          union all
          select u.id, null from unknown_deposits u where u.returned_at is not null and not exists (
            select from proposals p where p.kind = 'deposit-returns' and p.subject = u.id::text and p.status = 'Approved'
          )
          union all
          select null, d.id from deposits d where d.method = 'crypto' and d.receipt is null and not exists (
            select from unknown_deposits u join deposit_arrivals a on (a.coin, a.transaction_id) = (u.coin, u.reference)
            where a.deposit_id = d.id
          )`,
  },
  {
    name: 'W3',
    says: 'no one approved their own item',
    sql: `select a.item, a.operator_id, u.email from (
            select d.id as item, d.user_id, p.operator_id from deposit_approvals p join deposits d on d.id = p.deposit_id
            union all
            select w.id, w.user_id, p.operator_id from withdrawal_approvals p join withdrawals w on w.id = p.withdrawal_id
          ) a join users u on u.id = a.user_id join operators o on o.id = a.operator_id and email_key_of(o.email) = email_key_of(u.email)`,
  },
  {
    name: 'W3',
    says: 'no one approved an item twice, under two accounts or addresses',
    sql: `with approved as (${APPROVED})
          select item, id, person, count(*) as approvals from approved group by item, id, person having count(*) > 1`,
  },
  {
    name: 'W3',
    says: 'what one person approved alone was within the limits of that time, for the trader and for all of 24 hours',
    sql: `with approved as materialized (${APPROVED}), ${ALONE}, summed as (
            select *, sum(amount) over (partition by person, user_id ${A_DAY}) as of_trader,
              sum(amount) over (partition by person, item ${A_DAY}) as of_all
            from alone
          )
          select s.item, s.id, s.person, s.amount, s.of_trader, s.of_all from summed s cross join lateral (
            select case s.item when 'deposit' then deposit_two_person_above else withdrawal_two_person_above end as trader,
              case s.item when 'deposit' then deposit_operator_day_above else withdrawal_operator_day_above end as everyone
            from approval_limits where since <= s.decided_at order by since desc limit 1
          ) l
          where s.of_trader > l.trader or s.of_all > l.everyone`,
  },
  {
    name: 'W3',
    says: 'each rejection of a deposit above the threshold of that time was approved by two people',
    sql: `select d.id from deposits d cross join lateral (
            select deposit_two_person_above as above, of_rejections from approval_limits
            where since <= d.decided_at order by since desc limit 1
          ) l
          where d.status = 'Rejected' and d.method = 'crypto' and l.of_rejections and d.submitted > l.above and not exists (
            select from proposals p
            where p.kind = 'deposit-rejections' and p.subject = d.id::text and p.status = 'Approved' and p.reason = d.reason
          )`,
  },
  {
    name: 'W3',
    says: 'no one alone credited more than was submitted, or paid a trader whose deposit or identity they approved',
    sql: `with approved as materialized (${APPROVED}), ${ALONE}
          select s.item, s.id, s.person from alone s
          where s.decided_at > (select min(since) from approval_limits) and (
            s.amount > s.submitted or s.item = 'withdrawal' and (
              exists (
                select from approved d
                where d.item = 'deposit' and d.user_id = s.user_id and d.person = s.person and d.decided_at < s.decided_at
              ) or exists (
                select from audit a join operators o on o.id = a.operator_id
                where a.user_id = s.user_id and a.item_kind = 'identity-checks' and a.action = 'approve' and a.at < s.decided_at
                  and email_key_of(o.email) = s.person
              )
            )
          )`,
  },
]
