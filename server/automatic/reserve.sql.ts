import { PLANS, type StrikeChoice } from '#contract/terms.ts'
import { DEMO_TRADES_A_DAY } from '#contract/trading/automatic.ts'
import type { Usd } from '#kernel/money.ts'
import { userOfSql } from '../ledger/index.ts'
import { MEASURING_METHOD } from './measured.ts'

/** A signal is traded at most this long after it was written; a trigger on `trades` enforces 5 s. */
const FRESH_MS = 4_500
/** How long a follower without money, or with a locked account, skips all signals. */
export const IDLE_MS = 600_000

/** What the statement decided: `reserve`, a reason to skip, or a stop. */
type Verdict = 'reserve' | 'day' | 'balance' | 'locked' | 'loss-a-day' | 'loss-in-all' | 'losses-in-row' | 'ineligible'

/** What a trader can do after a stop. */
export const START_AGAIN = 'You can start again at any time; losses then count from zero.'

/** What was decided about a follower, and the limits of its stops. */
interface DecidedRow {
  account_id: bigint
  verdict: Verdict
  loss_a_day: Usd
  loss_in_all: Usd
  losses_in_row: number | null
}

/** A follower whose payout was copied: stopped, or nothing was decided. */
export type SyncedRow = DecidedRow | { account_id: bigint; verdict: null }

export interface ReservedRow extends DecidedRow {
  signal: bigint
  symbol_id: number
  side: 'Buy' | 'Sell'
  duration_seconds: number
  strike_rate: StrikeChoice
  stake: Usd
}

/** Whether a follower runs, or an order isn't finished: otherwise the other statements find nothing. */
export const ANY_SQL = `
select exists (select from automations where state = 'Running') or exists (
  select from automatic_orders where status = 'Reserved' or status = 'Traded' and payout is null
) as any_work`

/** An account's losses in a row after a signal. Draws and voids neither count nor interrupt. */
export const lossesInRowSql = (accountId: string, after: string) => `
    select count(*) as losses from automatic_orders o
    where o.account_id = ${accountId} and o.payout = 0 and o.signal > greatest(${after}, coalesce((
      select max(v.signal) from automatic_orders v where v.account_id = ${accountId} and v.payout > v.stake
    ), 0))`

/** What a trader reads after so many losses in a row. */
const lossesReason = (losses: string) =>
  `'Stopped after ' || ${losses} || case ${losses} when 1 then ' loss' else ' losses' end || ' in a row. ${START_AGAIN}'`

/** Whether a settled order is a loss that may stop its follower. */
const COUNTS_LOSS = "s.payout = 0 and a.state in ('Running', 'Paused') and a.losses_in_row is not null"

/**
 * Copies the payouts of settled trades to the orders of up to $1 accounts, and stops the followers whose losses in a row
 * reach their limit. Returns the accounts. An order that another worker is copying is left to it, so a stop acts once.
 * It joins no two of its lists: the planner can't estimate their lengths, and a nested loop would cost their product.
 */
export const SYNC_SQL = `
with settled as materialized (
  select o.signal, o.account_id, t.payout from automatic_orders o join trades t on t.id = o.trade_id
  where o.status = 'Traded' and o.payout is null and t.status <> 'Pending'
  order by o.account_id limit $1 for no key update of o skip locked
), losing as materialized (
  select a.*, s.signal from settled s join automations a on a.account_id = s.account_id
  where ${COUNTS_LOSS}
  order by a.account_id for no key update of a skip locked
), busy as materialized (
  -- Whose follower another transaction has locked: the payout waits, because it may stop the follower.
  select s.account_id from settled s join automations a on a.account_id = s.account_id
  where ${COUNTS_LOSS} and s.account_id not in (select account_id from losing)
), stopping as materialized (
  -- The statement doesn't see the payouts that it writes, so the loss itself is added. Those before it are complete: an
  -- account has one open order at a time.
  select l.*, streak.losses + 1 as losses from losing l cross join lateral (${lossesInRowSql('l.account_id', 'l.counted_after')}
  ) streak
  where l.signal > l.counted_after and streak.losses + 1 >= l.losses_in_row
), copied as (
  update automatic_orders o set payout = s.payout, stopped = s.account_id in (select account_id from stopping)
  from settled s where o.signal = s.signal and o.account_id = s.account_id and s.account_id not in (select account_id from busy)
  returning o.account_id, o.stopped
), changed as (
  update automations a set state = 'Stopped', stop_reason = ${lossesReason('s.losses')}
  from stopping s where a.account_id = s.account_id
)
select account_id, 'losses-in-row' as verdict, loss_a_day, loss_in_all, losses_in_row from stopping
union all
select account_id, null, null, null, null from copied where not stopped`

/** The tape's time now, and its UTC day and time. */
const MOMENT = `
moment as materialized (
  select ms, timestamp 'epoch' + ms * interval '1 millisecond' as utc
  from (select greatest(floor(extract(epoch from clock_timestamp()) * 1000)::bigint, t) as ms from tape_head) clock
)`

const planLimit = `case u.trading_plan ${PLANS.map((plan) => `when '${plan.value}' then ${plan.tradesADay}`).join(' ')} else 0 end`

/**
 * Processes the newest signals for up to $1 followers. For each free follower, takes the first signal that fits, and
 * reserves the trade or writes the reason for skipping it. Leaves out rows that another worker has written meanwhile, and
 * followers that another transaction has locked.
 * Losses in a row are checked here too, because an engine of the previous version copies payouts without stopping.
 * Amounts are cents.
 */
export const RESERVE_SQL = `
with ${MOMENT}, fresh as materialized (
  select s.n, s.strategy, s.version, s.symbol_id, s.side, s.duration_seconds, s.at
  from signals s, moment m where s.candle_close >= m.ms - 10000 and s.at >= m.ms - ${FRESH_MS}
), stops as materialized (
  select symbol_id from trading_stops()
), wanted as materialized (
  select distinct on (a.account_id) a.*, f.n as signal, f.at as signal_at, f.symbol_id, f.side
  from fresh f
  join automations a on a.strategy = f.strategy and a.version = f.version and a.duration_seconds = f.duration_seconds
  cross join moment m
  where a.state = 'Running' and a.idle_until <= m.ms and f.n > a.counted_after
    -- Another version may have started it with a sentence that is measured differently.
    and (a.mode = 'demo' or a.confirmed_method = ${MEASURING_METHOD})
    and (a.symbol_ids = '{}' or f.symbol_id = any (a.symbol_ids)) and (a.sides = 'both' or a.sides::text = f.side::text)
    and (a.days >> extract(dow from m.utc)::int) & 1 = 1
    and extract(hour from m.utc) >= a.from_hour and extract(hour from m.utc) < a.to_hour
    and not exists (select from strategy_switches w where w.strategy = a.strategy)
    -- What operators have stopped waits: its signals aren't counted, or written as skipped.
    and not exists (select from stops s where s.symbol_id = f.symbol_id or s.symbol_id = -1 and a.mode = 'real')
    and not exists (select from automatic_orders o where o.signal = f.n and o.account_id = a.account_id)
    and not exists (
      select from automatic_orders o where o.account_id = a.account_id and (o.status = 'Reserved' or o.status = 'Traded' and o.payout is null)
    )
  order by a.account_id, f.n limit $1
), locked as materialized (
  select a.account_id from automations a
  where a.account_id in (select account_id from wanted) and a.state = 'Running' order by a.account_id for no key update skip locked
), figured as materialized (
  select w.*, b.balance, today.used, today.loss as lost_today, since.loss as lost_in_all, streak.losses,
    coalesce(u.locked, false) as sign_in_locked,
    case when w.stake_percent is null then w.stake else least(w.stake, b.balance * w.stake_percent / 100) end as order_stake,
    least(w.trades_a_day, case when w.mode = 'demo' then ${DEMO_TRADES_A_DAY} else ${planLimit} end) as trades_limit,
    w.mode = 'demo' or coalesce(u.trading_plan, '') <> '' and exists (
      select from identity_checks c where c.user_id = u.id and c.kind = 'identity' and c.superseded_at is null and c.status = 'Approved'
    ) as eligible
  from wanted w
  join locked using (account_id)
  -- The limits keep these to one index lookup for each follower; as joins, they could read whole tables.
  cross join lateral (select a.balance from accounts a where a.id = w.account_id limit 1) b
  left join lateral (
    select u.id, u.trading_plan, u.sign_in_locked_at is not null or u.ended_at is not null as locked
    from users u where u.id = ${userOfSql('w.account_id')} limit 1
  ) u on true
  cross join moment m
  cross join lateral (
    select count(*) as used, coalesce(sum(o.stake - o.payout), 0) as loss from automatic_orders o
    where o.account_id = w.account_id and o.day = m.utc::date and o.status <> 'Skipped'
  ) today
  cross join lateral (
    select coalesce(sum(o.stake - o.payout), 0) as loss from automatic_orders o
    where o.account_id = w.account_id and o.signal > w.counted_after and o.status = 'Traded'
  ) since
  cross join lateral (${lossesInRowSql('w.account_id', 'w.counted_after')}
  ) streak
), decided as materialized (
  select f.*, case
    when f.sign_in_locked then 'locked'
    when not f.eligible then 'ineligible'
    when f.used >= f.trades_limit then 'day'
    when f.losses >= f.losses_in_row then 'losses-in-row'
    when f.order_stake < 100 or f.order_stake > f.balance then 'balance'
    when f.lost_in_all + f.order_stake > f.loss_in_all then 'loss-in-all'
    when f.lost_today + f.order_stake > f.loss_a_day then 'loss-a-day'
    else 'reserve'
  end as verdict
  from figured f
), written as (
  insert into automatic_orders (signal, account_id, mode, signal_at, at, day, slot, stake, status, reason)
  select d.signal, d.account_id, d.mode, d.signal_at, m.ms, m.utc::date,
    case when d.verdict = 'reserve' then (
      select min(s) from generate_series(1, d.trades_limit) s where not exists (
        select from automatic_orders o where o.account_id = d.account_id and o.day = m.utc::date and o.slot = s and o.status <> 'Skipped'
      )
    ) end,
    d.order_stake, case when d.verdict = 'reserve' then 'Reserved' else 'Skipped' end::automatic_status,
    case when d.verdict = 'reserve' then null when d.verdict in ('day', 'balance', 'locked') then d.verdict else 'stop' end::skip_reason
  from decided d, moment m order by d.account_id
  on conflict do nothing
  returning signal, account_id
), changed as (
  update automations a set
    state = case when d.verdict in ('ineligible', 'losses-in-row', 'loss-in-all') then 'Stopped' else a.state end::automation_state,
    stop_reason = case d.verdict
      when 'ineligible' then 'Automatic trades with real money need a plan and an approved identity.'
      when 'losses-in-row' then ${lossesReason('d.losses')}
      when 'loss-in-all' then 'Another trade could have taken your losses over your maximum total loss. ${START_AGAIN}'
    end,
    idle_until = case
      when d.verdict in ('day', 'loss-a-day') then (extract(epoch from m.utc::date + 1) * 1000)::bigint
      when d.verdict in ('balance', 'locked') then m.ms + ${IDLE_MS}
      else a.idle_until
    end,
    idle_reason = case d.verdict when 'day' then 'day' when 'loss-a-day' then 'stop' when 'balance' then 'balance' when 'locked' then 'locked' end::skip_reason
  from decided d join written using (signal, account_id), moment m
  where a.account_id = d.account_id and d.verdict <> 'reserve'
)
select d.account_id, d.signal, d.symbol_id, d.side, d.duration_seconds, d.strike_rate, d.order_stake as stake, d.verdict,
  d.loss_a_day, d.loss_in_all, d.losses_in_row
from decided d join written using (signal, account_id) order by d.account_id`

/** Reservations that nobody has submitted for a second: their worker died. Skips those whose signal is too old. */
export const STALE_SQL = `
with ${MOMENT}
update automatic_orders o set status = 'Skipped', reason = 'stale', slot = null from moment m
where o.status = 'Reserved' and o.signal_at < m.ms - 5000 returning o.account_id`

export const ADOPT_SQL = `
with ${MOMENT}
select o.account_id, o.signal, s.symbol_id, s.side, s.duration_seconds, a.strike_rate, o.stake
from automatic_orders o join signals s on s.n = o.signal join automations a on a.account_id = o.account_id, moment m
where o.status = 'Reserved' and o.at < m.ms - 1000 and o.signal_at >= m.ms - ${FRESH_MS}`
