import { WAITING_KEYS } from '#contract/endpoint.ts'
import { WAITING_MAX } from '#contract/trading/waiting.ts'
import { type Check, userOfSql } from '../../ledger/index.ts'

/** Invariants of orders that wait, and their trades. */
export const waitingChecks: readonly Check[] = [
  {
    name: 'O1',
    says: 'each order that traded has one trade on its terms, and each such trade its order',
    sql: `select t.id as trade, o.account_id, o.id as order_id from (select * from trades where starts_with(key, '${WAITING_KEYS}')) t
          full join (select * from waiting_orders where trade_id is not null) o on o.trade_id = t.id
          where t.id is null or o.trade_id is null or t.account_id <> o.account_id or t.key <> '${WAITING_KEYS}' || o.id or t.signal is not null
            or (t.symbol_id, t.side, t.strike_rate, t.stake, t.duration_seconds) is distinct from (o.symbol_id, o.side, o.strike_rate, o.stake, o.duration_seconds)`,
  },
  {
    name: 'O2',
    says: 'an order is triggered by a later tick than the one when it was placed, while it is valid, that fulfils its condition; its trade and its entry follow within a minute',
    sql: `select o.account_id, o.id from waiting_orders o left join trades t on t.id = o.trade_id
          where o.trigger_seq <= o.base_seq or o.trigger_ms > o.valid_until_ms or t.trade_time not between o.trigger_ms and o.trigger_ms + 60000
            or t.entry_time <= o.trigger_ms or t.entry_seq <= o.trigger_seq
            or case o.condition when 'at_or_above' then o.trigger_price < o.level when 'at_or_below' then o.trigger_price > o.level
              else o.trigger_ms < o.at_ms end`,
  },
  {
    name: 'O3',
    says: `no account has more than ${WAITING_MAX} orders that wait, and each notification is of one order at most`,
    sql: `select account_id, count(*) from waiting_orders where ended_at is null group by account_id having count(*) > ${WAITING_MAX}
          union all
          select min(account_id), count(*) from waiting_orders where notice_id is not null group by notice_id having count(*) > 1`,
  },
  {
    name: 'O3',
    says: "the notification of the end of an order is its owner's",
    sql: `select o.account_id, o.id, o.notice_id from waiting_orders o left join notices n on n.id = o.notice_id and n.kind = 'order'
          where o.notice_id is not null and n.user_id is distinct from ${userOfSql('o.account_id')}`,
  },
]
