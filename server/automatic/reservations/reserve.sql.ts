import { PLANS, type StrikeChoice } from '#contract/terms.ts'
import { DEMO_TRADES_A_DAY } from '#contract/trading/automatic.ts'
import type { Usd } from '#kernel/money.ts'
import { userOfSql } from '../../ledger/index.ts'
import { isSoldSql } from '../../trading/index.ts'
import { MEASURING_METHOD } from '../measured.ts'

/** A signal is traded at most this long after it was written; a trigger on `trades` enforces 5 s. */
const FRESH_MS = 4_500
/** How long a follower without money, or with a locked account, skips all signals. */
export const IDLE_MS = 600_000

/** What the statement decided: `reserve`, a reason to skip, or a stop. */
type Verdict =
  | ('reserve' | 'day' | 'balance' | 'locked' | 'ineligible')
  | ('loss-a-day' | 'loss-in-all' | 'losses-in-row' | 'profit-a-day' | 'profit-in-all' | 'pause')

/** What a trader can do after a stop. */
export const START_AGAIN = 'You can start again at any time; losses then count from zero.'
/** What a trader can do after a take-profit. */
export const START_AFTER_PROFIT = 'You can start again at any time; results then count from zero.'

/** What was decided about a follower, and the limits of its stops. */
interface DecidedRow {
  account_id: bigint
  verdict: Verdict
  loss_a_day: Usd
  loss_in_all: Usd
  losses_in_row: number | null
  profit_a_day: Usd | null
  profit_in_all: Usd | null
  pause_losses: number | null
  /** The end of its pause after losses, tape time (Unix ms). */
  paused_until: bigint | null
  /** The zone of its days and hours. */
  time_zone: string
}

const DECIDED =
  'loss_a_day, loss_in_all, losses_in_row, profit_a_day, profit_in_all, pause_losses, paused_until, time_zone'

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

/**
 * An account's losses in a row after a signal. A trade that was sold below its stake counts as lost; one that was sold for
 * its stake or more ends the row, as a win does. Draws and voids neither count nor interrupt.
 */
export const lossesInRowSql = (accountId: string, after: string) => `
    select count(*) as losses from automatic_orders o
    where o.account_id = ${accountId} and o.payout < o.stake and o.signal > greatest(${after}, coalesce((
      select max(v.signal) from automatic_orders v where v.account_id = ${accountId}
        and (v.payout > v.stake or v.payout = v.stake and ${isSoldSql('v.trade_id')})
    ), 0))`

/** What a trader reads after so many losses in a row. */
const lossesReason = (losses: string) =>
  `'Stopped after ' || ${losses} || case ${losses} when 1 then ' loss' else ' losses' end || ' in a row. ${START_AGAIN}'`

/** What a trader reads after a take-profit in all. */
const PROFIT_REASON = `'Stopped because your profit since the start reached your take-profit. ${START_AFTER_PROFIT}'`

/** The result of the settled orders of an account that meet a condition, cents. */
const resultSql = (accountId: string, which: string) => `
    select coalesce(sum(o.payout - o.stake), 0) as result from automatic_orders o
    where o.account_id = ${accountId} and ${which} and o.status = 'Traded'`

/** Whether a settled order is a loss or a profit that may stop its follower, or have it wait. */
const MAY_ACT = `a.state in ('Running', 'Paused') and (
    s.payout < s.stake and (a.losses_in_row is not null or a.pause_losses is not null)
    or s.payout > s.stake and (a.profit_a_day is not null or a.profit_in_all is not null)
  )`

/** The end of a UTC day, Unix ms. */
const endOfDay = (day: string) => `(extract(epoch from ${day} + 1) * 1000)::bigint`

/**
 * Copies the payouts of settled trades to the orders of up to $1 accounts. Stops the followers whose losses in a row or
 * profit in all reach their limit, and has others wait: those whose losses begin a pause, and those that have reached
 * the day's profit. Returns the accounts. An order that another worker is copying is left to it, so a stop acts once.
 * It joins no two of its lists: the planner can't estimate their lengths, and a nested loop would cost their product.
 */
export const SYNC_SQL = `
with settled as materialized (
  select o.signal, o.account_id, o.stake, o.day, t.payout,
    case t.status when 'Sold' then t.exit_time else t.end_time end as decided_at
  from automatic_orders o join trades t on t.id = o.trade_id
  where o.status = 'Traded' and o.payout is null and t.status <> 'Pending'
  order by o.account_id limit $1 for no key update of o skip locked
), acting as materialized (
  select a.*, s.signal, s.stake as staked, s.day, s.payout, s.decided_at
  from settled s join automations a on a.account_id = s.account_id
  where ${MAY_ACT}
  order by a.account_id for no key update of a skip locked
), busy as materialized (
  -- Whose follower another transaction has locked: the payout waits, because it may stop the follower.
  select s.account_id from settled s join automations a on a.account_id = s.account_id
  where ${MAY_ACT} and s.account_id not in (select account_id from acting)
), figured as materialized (
  -- The statement doesn't see the payouts that it writes, so the trade itself is added. Those before it are complete: an
  -- account has one open order at a time.
  select a.*, streak.losses + 1 as losses, row_of_pause.losses + 1 as losses_of_pause,
    today.result + a.payout - a.staked as result_today, since.result + a.payout - a.staked as result_in_all
  from acting a
  cross join lateral (${lossesInRowSql('a.account_id', 'a.counted_after')}
  ) streak
  cross join lateral (${lossesInRowSql('a.account_id', 'greatest(a.counted_after, a.pause_counted_after)')}
  ) row_of_pause
  cross join lateral (${resultSql('a.account_id', 'o.day = a.day')}
  ) today
  cross join lateral (${resultSql('a.account_id', 'o.signal > a.counted_after')}
  ) since
  where a.signal > a.counted_after
), decided as materialized (
  select f.*, case
    when payout < staked and losses >= losses_in_row then 'losses-in-row'
    when payout > staked and result_in_all >= profit_in_all then 'profit-in-all'
    when payout < staked and losses_of_pause >= pause_losses then 'pause'
    when payout > staked and result_today >= profit_a_day then 'profit-a-day'
  end as verdict
  from figured f
), stopping as materialized (
  select d.*, case when verdict = 'pause' then decided_at + pause_minutes * 60000::bigint end as paused_until
  from decided d where verdict is not null
), copied as (
  update automatic_orders o set payout = s.payout, stopped = s.stopped, paused_until = s.paused_until
  from (
    select signal, account_id, payout, verdict in ('losses-in-row', 'profit-in-all') as stopped, paused_until from stopping
    union all
    select signal, account_id, payout, false, null from settled
    where account_id not in (select account_id from stopping) and account_id not in (select account_id from busy)
  ) s
  where o.signal = s.signal and o.account_id = s.account_id
  returning o.account_id
), changed as (
  update automations a set
    state = case when s.verdict in ('losses-in-row', 'profit-in-all') then 'Stopped' else a.state end::automation_state,
    stop_reason = case s.verdict
      when 'losses-in-row' then ${lossesReason('s.losses')} when 'profit-in-all' then ${PROFIT_REASON}
    end,
    pause_counted_after = case s.verdict when 'pause' then s.signal else a.pause_counted_after end,
    idle_until = case s.verdict when 'pause' then s.paused_until when 'profit-a-day' then ${endOfDay('s.day')} else a.idle_until end,
    idle_reason = case s.verdict when 'pause' then 'pause' when 'profit-a-day' then 'profit' else a.idle_reason end::skip_reason
  from stopping s where a.account_id = s.account_id
)
select account_id, verdict, ${DECIDED} from stopping
union all
select account_id, null, ${DECIDED.replace(/\w+/g, 'null')} from copied where account_id not in (select account_id from stopping)`

/** The tape's time now, and its UTC day and time. */
const MOMENT = `
moment as materialized (
  select ms, timestamp 'epoch' + ms * interval '1 millisecond' as utc
  from (select greatest(floor(extract(epoch from clock_timestamp()) * 1000)::bigint, t) as ms from tape_head) clock
)`

const planLimit = `case u.trading_plan ${PLANS.map((plan) => `when '${plan.value}' then ${plan.tradesADay}`).join(' ')} else 0 end`

/** SQL: the local time of a time (Unix ms) in the zone `z`, as ms since 1970-01-01 00:00 there. */
export const localSql = (time: string) => `(${time} + z.offsets[greatest(1, width_bucket(${time}, z.starts))])`

/** SQL: whether a local time is within the days and hours of the settings `a`; as `isScheduled` (kernel/schedule.ts). */
export const scheduledSql = (local: string) => `(
      case when a.to_hour < a.from_hour then ${local} / 3600000 % 24 >= a.from_hour or ${local} / 3600000 % 24 < a.to_hour
        else ${local} / 3600000 % 24 >= a.from_hour and ${local} / 3600000 % 24 < a.to_hour end
      -- Hours after midnight belong to the day on which they began. 1970-01-01 was a Thursday.
      and (a.days >> (((${local} - case when a.to_hour < a.from_hour and ${local} / 3600000 % 24 < a.to_hour then 86400000 else 0 end)
        / 86400000 + 4) % 7)::int) & 1 = 1
    )`

/** SQL: the rules of zones, from the JSON of `zonesOf` (zones.ts) as $2. */
export const ZONES = `select z.name, z.starts, z.offsets from jsonb_to_recordset($2::jsonb) as z(name text, starts bigint[], offsets bigint[])`

/** The zones of the followers that run, and settings for the planner: see follow.ts. Reads one index entry for each zone. */
export const ZONES_SQL = `
with recursive zones(name) as (
  (select min(time_zone) from automations where state = 'Running')
  union all
  select (select min(time_zone) from automations where state = 'Running' and time_zone > z.name) from zones z where z.name is not null
)
select set_config('enable_seqscan', 'off', true), set_config('enable_nestloop', 'off', true),
  array(select name from zones where name is not null) as zones`

/**
 * Processes the newest signals for up to $1 followers. For each free follower, takes the first signal that fits, and
 * reserves the trade or writes the reason for skipping it. A signal fits at most one of the strategies that an account follows.
 * Leaves out rows that another worker has written meanwhile, and
 * followers that another transaction has locked.
 * Losses in a row are checked here too, because an engine of the previous version copies payouts without stopping.
 * Amounts are cents.
 */
export const RESERVE_SQL = `
with ${MOMENT}, fresh as materialized (
  select s.n, s.strategy, s.version, s.symbol_id, s.side, s.duration_seconds, s.candle_close, s.at
  from signals s, moment m where s.status = 'Pending' and s.at >= m.ms - ${FRESH_MS}
), zones as materialized (
  ${ZONES}
), stops as materialized (
  select symbol_id from trading_stops()
), wanted as materialized (
  select distinct on (a.account_id) a.*, f.n as signal, f.at as signal_at, f.symbol_id, f.side, s.duration_seconds, s.strike_rate,
    s.stake, s.stake_percent
  from fresh f
  join followed_strategies s on s.strategy = f.strategy and s.version = f.version and s.duration_seconds = f.duration_seconds
  join automations a on a.account_id = s.account_id
  join zones z on z.name = a.time_zone
  cross join moment m
  where a.state = 'Running' and a.idle_until <= m.ms and f.n > a.counted_after
    -- Another version may have started it with a sentence that is measured differently.
    and (a.mode = 'demo' or a.confirmed_method = ${MEASURING_METHOD})
    and (s.symbol_ids = '{}' or f.symbol_id = any (s.symbol_ids)) and (s.sides = 'both' or s.sides::text = f.side::text)
    and ${scheduledSql(localSql('f.at'))}
    and not exists (select from strategy_switches w where w.strategy = s.strategy)
    -- What operators have stopped waits: its signals aren't counted, or written as skipped.
    and not exists (select from stops where stops.symbol_id = f.symbol_id or stops.symbol_id = -1 and a.mode = 'real')
    and not exists (select from automatic_orders o where o.signal = f.n and o.account_id = a.account_id)
    and not exists (
      select from automatic_orders o where o.account_id = a.account_id and (o.status = 'Reserved' or o.status = 'Traded' and o.payout is null)
    )
  -- Of signals of one moment, that of the first place.
  order by a.account_id, f.candle_close, s.place, f.n limit $1
), locked as materialized (
  select a.account_id from automations a
  where a.account_id in (select account_id from wanted) and a.state = 'Running' order by a.account_id for no key update skip locked
), figured as materialized (
  select w.*, b.balance, today.used, today.loss as lost_today, since.loss as lost_in_all, streak.losses, null::bigint as paused_until,
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
    when -f.lost_in_all >= f.profit_in_all then 'profit-in-all'
    when -f.lost_today >= f.profit_a_day then 'profit-a-day'
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
    case when d.verdict = 'reserve' then null when d.verdict in ('day', 'balance', 'locked') then d.verdict
      when d.verdict in ('profit-a-day', 'profit-in-all') then 'profit' else 'stop' end::skip_reason
  from decided d, moment m order by d.account_id
  on conflict do nothing
  returning signal, account_id
), changed as (
  update automations a set
    state = case when d.verdict in ('ineligible', 'losses-in-row', 'loss-in-all', 'profit-in-all') then 'Stopped' else a.state end::automation_state,
    stop_reason = case d.verdict
      when 'ineligible' then 'Automatic trades with real money need a plan and an approved identity.'
      when 'losses-in-row' then ${lossesReason('d.losses')}
      when 'profit-in-all' then ${PROFIT_REASON}
      when 'loss-in-all' then 'Another trade could have taken your losses over your maximum total loss. ${START_AGAIN}'
    end,
    idle_until = case
      when d.verdict in ('day', 'loss-a-day', 'profit-a-day') then ${endOfDay('m.utc::date')}
      when d.verdict in ('balance', 'locked') then m.ms + ${IDLE_MS}
      else a.idle_until
    end,
    idle_reason = case d.verdict when 'day' then 'day' when 'loss-a-day' then 'stop' when 'profit-a-day' then 'profit'
      when 'balance' then 'balance' when 'locked' then 'locked' end::skip_reason
  from decided d join written using (signal, account_id), moment m
  where a.account_id = d.account_id and d.verdict <> 'reserve'
)
select d.account_id, d.signal, d.symbol_id, d.side, d.duration_seconds, d.strike_rate, d.order_stake as stake, d.verdict,
  ${DECIDED}
from decided d join written using (signal, account_id) order by d.account_id`

/** Reservations that nobody has submitted for a second: their worker died. Skips those whose signal is too old. */
export const STALE_SQL = `
with ${MOMENT}
update automatic_orders o set status = 'Skipped', reason = 'stale', slot = null from moment m
where o.status = 'Reserved' and o.signal_at < m.ms - 5000 returning o.account_id`

export const ADOPT_SQL = `
with ${MOMENT}
select o.account_id, o.signal, s.symbol_id, s.side, s.duration_seconds, f.strike_rate, o.stake
from automatic_orders o join signals s on s.n = o.signal
join followed_strategies f on f.account_id = o.account_id and f.strategy = s.strategy and f.duration_seconds = s.duration_seconds, moment m
where o.status = 'Reserved' and o.at < m.ms - 1000 and o.signal_at >= m.ms - ${FRESH_MS}`

/**
 * Cancels the reservations for signals of the strategies $1. A locked order is being accepted right now: waiting for it
 * could deadlock with its batch.
 */
export const CANCEL_SQL = `
update automatic_orders set status = 'Skipped', reason = 'ended', slot = null
where (signal, account_id) in (
  select o.signal, o.account_id from automatic_orders o join signals s on s.n = o.signal
  where o.status = 'Reserved' and s.strategy = any ($1::strategy_key[])
  order by o.account_id for update of o skip locked
)`
