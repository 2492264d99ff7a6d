import type { Check } from '../../ledger/index.ts'

/** Invariants of alerts and their notifications. */
export const alertChecks: readonly Check[] = [
  {
    name: 'N1',
    says: 'each alert that fired has its notification, and each notification one alert at most',
    sql: `select a.user_id, a.id, a.notice_id from alerts a
          left join notices n on n.id = a.notice_id and n.user_id = a.user_id and n.kind = 'alert'
          where a.fired_at is not null and n.id is null
          union all
          select min(user_id), min(id), notice_id from alerts where notice_id is not null group by notice_id having count(*) > 1`,
  },
  {
    name: 'N2',
    says: 'an alert fires by a later price than the one that it was armed at, and a price alert by one at or beyond its level, an indicator by a value there',
    sql: `select user_id, id from alerts
          where fired_at is not null and (
            fired_seq <= base_seq or fired_ms < base_ms
            or kind = 'price' and (rises and fired_price < level or not rises and fired_price > level)
            or kind = 'indicator' and (fired_value is null or direction = 'up' and fired_value < threshold
              or direction = 'down' and fired_value > threshold)
          )
          union all
          select user_id, id from alerts where kind = 'price' and (rises and base_price >= level or not rises and base_price <= level)`,
  },
]
