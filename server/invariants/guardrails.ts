import { accountOfSql, type Check } from '../ledger/index.ts'

/** Invariants G1 to G3: the limits and breaks of traders hold, as plain SQL over the raw rows. */
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
            select user_id, max(case when kind = 'time_out' then ends_at else coalesce(return_at, 'infinity') end) as until
            from exclusions group by user_id
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
            and to_timestamp(t.trade_time / 1000.0) < case when e.kind = 'time_out' then e.ends_at else coalesce(e.return_at, 'infinity') end`,
  },
]
