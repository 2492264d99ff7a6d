import { PLANS } from '#contract/terms.ts'
import { DEMO_TRADES_A_DAY } from '#contract/trading/automatic.ts'
import type { Check } from '../ledger/index.ts'
import { userOfSql } from '../ledger/index.ts'

/** Invariants A1 and A2: automatic trades stay within the plan, and orders and trades agree. */
export const automaticChecks: readonly Check[] = [
  {
    name: 'A1',
    says: "no account has more automatic trades on a UTC day than its owner's plan, or the demo, allows",
    sql: `select d.account_id, d.day, d.trades from (
            select account_id, mode, (timestamp 'epoch' + trade_time * interval '1 millisecond')::date as day, count(*) as trades
            from trades where signal is not null group by 1, 2, 3
          ) d left join users u on u.id = ${userOfSql('d.account_id')}
          where d.trades > case when d.mode = 'demo' then ${DEMO_TRADES_A_DAY} else
            case u.trading_plan ${PLANS.map(({ value, tradesADay }) => `when '${value}' then ${tradesADay}`).join(' ')} else 0 end end`,
  },
  {
    name: 'A2',
    says: 'each automatic trade has its order, with the same stake and payout, on the day of the trade, and only an order that lost is marked as a stop',
    sql: `select t.id, o.signal, o.account_id from (select * from trades where signal is not null) t
          full join (select * from automatic_orders where status = 'Traded' or stopped) o on o.trade_id = t.id
          where t.id is null or o.trade_id is null or t.account_id <> o.account_id or t.signal <> o.signal or t.stake <> o.stake
            or o.payout is distinct from t.payout and o.payout is not null
            or o.stopped and o.payout is distinct from 0
            or o.day <> (timestamp 'epoch' + t.trade_time * interval '1 millisecond')::date`,
  },
]
