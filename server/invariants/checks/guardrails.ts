import { accountOfSql, type Check } from '../../ledger/index.ts'

/** Invariants G1 to G5: the limits and breaks of traders hold, as plain SQL over the raw rows. */
export const guardrailsChecks: readonly Check[] = [
  {
    name: 'G1',
    says: "each limit is its last applied change, and acceptance checks the account's trades",
    sql: `select g.account_id, l.key as guard, l.value, c.to_value, a.guarded from guards g
          join accounts a on a.id = g.account_id
          cross join lateral jsonb_each_text(to_jsonb(g)) l
          left join lateral (
            select c.to_value from guard_changes c
            where c.account_id = g.account_id and c.guard = l.key and c.applied_at is not null order by c.applied_at desc, c.id desc limit 1
          ) c on true
          where l.key ~ '^((deposits|losses|stakes|time)_(day|week|month)|check_minutes)$'
            and (l.value::bigint is distinct from c.to_value or l.value is not null and not a.guarded)`,
  },
  {
    name: 'G2',
    says: 'an account is blocked as long as its time-outs and exclusions say',
    sql: `select e.user_id, e.until, g.blocked_until from (
            select x.user_id, max(exclusion_until(x)) as until from exclusions x group by x.user_id
          ) e left join guards g on g.account_id = ${accountOfSql('e.user_id', 'real')}
          where g.blocked_until is distinct from e.until`,
  },
  {
    name: 'G3',
    // The seconds that acceptance may have waited for a lock, or dated the trade before the break was asked for.
    says: 'no real trade was accepted during a time-out or exclusion',
    sql: `select e.id as exclusion, t.id as trade, t.trade_time from exclusions e
          join trades t on t.account_id = ${accountOfSql('e.user_id', 'real')}
            and to_timestamp(t.trade_time / 1000.0) > e.starts_at + interval '15 seconds'
            and to_timestamp(t.trade_time / 1000.0) < exclusion_until(e)`,
  },
  {
    name: 'G4',
    // A day for the sweep: an excluded trader may confirm their address later.
    says: 'each account of a self-excluded person is excluded: by name and birth date if their identity is approved, by address if it is confirmed',
    sql: `select e.id as exclusion, u.id as user_id from exclusions e join users o on o.id = e.user_id
          join users u on u.id <> e.user_id and u.ended_at is null and (
            u.date_of_birth = e.date_of_birth and compare_names(e.name_key, u.firstname || ' ' || u.lastname) = 'same' and exists (
              select from identity_checks i where i.user_id = e.user_id and i.kind = 'identity' and i.status = 'Approved'
            )
            or email_key_of(u.email) = e.email_key and o.email_confirmed_at < clock_timestamp() - interval '26 hours'
          )
          where e.kind = 'exclusion' and e.carried_from is null and exclusion_until(e) > clock_timestamp() and not exists (
            select from exclusions c join exclusions f on f.id = c.carried_from where c.user_id = u.id and f.user_id = e.user_id
              and (f.id = e.id or c.lifted_at is not null)
          )`,
  },
  {
    name: 'G4',
    says: 'an exclusion binds the addresses that its trader had before a change',
    sql: `select e.id as exclusion, u.id as user_id from email_changes m
          join exclusions e on e.user_id = m.user_id and e.kind = 'exclusion' and e.carried_from is null and exclusion_until(e) > clock_timestamp()
          join users u on email_key_of(u.email) = email_key_of(m.old_email) and u.id <> m.user_id and u.ended_at is null
          where m.outcome = 'Done' and m.ended_at < clock_timestamp() - interval '26 hours' and not exists (
            select from exclusions c join exclusions f on f.id = c.carried_from where c.user_id = u.id and f.user_id = e.user_id
              and (f.id = e.id or c.lifted_at is not null)
          )`,
  },
  {
    name: 'G5',
    says: 'each match that was lifted was proposed and approved by two people',
    sql: `select e.id from exclusions e where e.lifted_at is not null and not exists (
            select from proposals p where p.kind = 'account-changes' and p.id = e.lifted_by and p.status = 'Approved'
              and p.subject = 'lift-match ' || e.user_id and p.payload ->> 'exclusion' = e.id::text
          )`,
  },
  {
    name: 'G5',
    says: 'each match that was kept on hold has exactly one record, by the operator who decided it',
    sql: `select coalesce(k.exclusion_id::text, a.item_id) as exclusion from kept_matches k
          full join (select * from audit where item_kind = 'exclusion-matches' and action = 'keep') a
            on a.item_id = k.exclusion_id::text and a.operator_id = k.operator_id and a.why = k.reason
          group by k.exclusion_id, a.item_id having k.exclusion_id is null or count(a.n) <> 1`,
  },
]
