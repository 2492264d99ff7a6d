import { PLANS } from '#contract/terms.ts'
import { DEMO_TRADES_A_DAY } from '#contract/trading/automatic.ts'
import type { Check } from '../../ledger/index.ts'
import { userOfSql } from '../../ledger/index.ts'
import { isSoldSql } from '../../trading/index.ts'

/** A window of an account's earlier orders. */
const BEFORE = 'order by o.signal rows between unbounded preceding and 1 preceding'

/** Invariants A1 to A5: automatic trades stay within the plan and the trader's own limits, and orders and trades agree. */
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
    says: 'each automatic trade has its order, with the same stake and payout, on the day of the trade, and only an order with a loss or a profit is marked as a stop',
    sql: `select t.id, o.signal, o.account_id from (select * from trades where signal is not null) t
          full join (select * from automatic_orders where status = 'Traded' or stopped) o on o.trade_id = t.id
          where t.id is null or o.trade_id is null or t.account_id <> o.account_id or t.signal <> o.signal or t.stake <> o.stake
            or o.payout is distinct from t.payout and o.payout is not null
            or o.stopped and coalesce(o.payout = o.stake, true)
            or o.day <> (timestamp 'epoch' + t.trade_time * interval '1 millisecond')::date`,
  },
  {
    name: 'A3',
    says: 'after a take-profit no automatic trade was placed: of a day until its end, in all until the next start',
    sql: `select o.account_id, o.signal from (
            select o.account_id, o.signal, a.settings_after, a.profit_a_day, a.profit_in_all,
              sum(o.payout - o.stake) over (partition by o.account_id, o.day ${BEFORE}) as today,
              sum(o.payout - o.stake) filter (where o.signal > a.counted_after) over (partition by o.account_id ${BEFORE}) as in_all
            from automatic_orders o join automations a using (account_id) where o.status = 'Traded'
          ) o where o.signal > o.settings_after and (o.today >= o.profit_a_day or o.in_all >= o.profit_in_all)`,
  },
  {
    name: 'A4',
    says: 'each row of losses began the pause that its owner set, and no automatic trade was placed in it or after a stop, until the next start',
    sql: `with run as (
            select o.account_id, o.signal, o.at, o.stake, o.payout, o.stopped, o.paused_until, a.settings_after, a.state, a.pause_losses,
              max(o.paused_until) over (partition by o.account_id ${BEFORE}) as paused_before,
              bool_or(o.stopped) over (partition by o.account_id ${BEFORE}) as stopped_before,
              -- Begins again after a profit, after a sale for the stake and after a pause.
              count(*) filter (
                where o.payout > o.stake or o.payout = o.stake and ${isSoldSql('o.trade_id')} or o.paused_until is not null
              ) over (partition by o.account_id ${BEFORE}) as part
            from automatic_orders o join automations a using (account_id)
            where o.status = 'Traded' and o.signal > a.counted_after
          ), counted as (
            select *, count(*) filter (where payout < stake) over (partition by account_id, part order by signal) as losses from run
          )
          select account_id, signal from counted
          where at < paused_before or stopped_before
            or signal > settings_after and state in ('Running', 'Paused') and payout < stake and not stopped
              and (losses >= pause_losses) is distinct from (paused_until is not null) and pause_losses is not null`,
  },
  {
    name: 'A5',
    says: 'an account has one automatic trade at a time',
    sql: `select id from (
            select id, trade_time, lag(case status when 'Void' then trade_time when 'Sold' then exit_time else end_time end)
              over (partition by account_id order by trade_time, id) as free_from
            from trades where signal is not null
          ) t where trade_time < free_from`,
  },
]
