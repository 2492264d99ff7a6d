import { postPartsSql, userOfSql } from '../../ledger/index.ts'
import { entrySql } from '../acceptance/entries/entry.sql.ts'
import { ENTRY_WITHIN_MS, REASON, type RuleVersion } from '../trade.ts'

/** The row that a settling statement returns for each trade that it settled. */
export interface SettledRow {
  id: bigint
  account_id: bigint
  trade_time: bigint
  /** Source time of the entry; null without one. */
  entry_time: bigint | null
  end_time: bigint
}

/**
 * The row for each account and symbol whose trades the statement left alone, because another transaction has locked the
 * account. Waiting for it would make all other accounts of the statement wait.
 */
export interface BusyRow {
  id: null
  account_id: bigint
  symbol_id: number
  /** The oldest of the trades. */
  trade_time: bigint
}

/** Quotes trusted text as an SQL literal. */
export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

/** Whether the statement has the lock of a trade's account. A lookup in a hash, however few rows the planner expects. */
export const isLocked = (trade: string) => `(nullif(${trade}.account_id in (select id from locked), false) is not null)`

/** A trade with an order to sell is left to it until it's decided: the row says so, so none is settled by an older snapshot. */
const UNORDERED = 'nullif(t.sale_ordered_at is null, false) is not null'

/** How each version of the rules decides a trade `k` whose entry and exit were found. Each trade keeps its version. */
const RULES_SQL: Record<RuleVersion, { status: string; reason: string }> = {
  'FT-1': {
    status: `case
      when k.e_seq is null or k.kind_changed or k.x_seq is null then 'Void'
      when k.x_price = k.e_price then 'Draw'
      when (k.x_price > k.e_price) = (k.side = 'Buy') then 'Won'
      else 'Lost'
    end`,
    reason: `case
      when k.e_seq is null then ${literal(REASON.noEntry)}
      when k.kind_changed then ${literal(REASON.sourceChanged)}
      when k.x_seq is null then ${literal(REASON.noExit)}
      when k.x_price = k.e_price then ${literal(REASON.equal)}
      when k.x_price > k.e_price then ${literal(REASON.above)}
      else ${literal(REASON.below)}
    end`,
  },
}
const byRule = (part: 'status' | 'reason') =>
  `case k.rule_version ${Object.entries(RULES_SQL)
    .map(([version, rule]) => `when ${literal(version)} then ${rule[part]}`)
    .join(' ')} end`
/** A trade of a version that this node doesn't know is left to one that does. */
const KNOWN_RULE = `nullif(t.rule_version in (${Object.keys(RULES_SQL).map(literal).join(', ')}), false) is not null`

/**
 * The rest of a settling statement, after `due` (the trades to settle, locked): finds entry and exit on the tape,
 * decides, writes outcomes, accounts and movements, and repays debts. The same rules as `decideOutcome` in trade.ts,
 * applied to sets. Accounts are locked in id order, and those that another transaction has locked are left out.
 */
const SETTLE_DUE = `
locked as materialized (
  select a.id, a.balance, a.owed, a.seq from accounts a where a.id in (select account_id from due) order by a.id for no key update skip locked
), ticked as materialized (
  select d.*,
    coalesce(d.entry_seq, e.seq) as e_seq, coalesce(d.entry_price, e.price) as e_price, coalesce(d.entry_time, e.source_ms) as e_time,
    x.seq as x_seq, x.price as x_price, x.source_ms as x_time,
    -- The source may also have changed just before the trade, if the node that accepted it didn't know yet.
    exists (
      select from tape_kinds c where c.symbol_id = d.symbol_id and c.source_ms > d.trade_time and c.source_ms <= d.end_time and c.kind <> d.source_kind
    ) or coalesce((
      select c.kind from tape_kinds c where c.symbol_id = d.symbol_id and c.source_ms <= coalesce(d.entry_time, e.source_ms)
      order by c.source_ms desc limit 1
    ) <> d.source_kind, false) as kind_changed
  from due d
  left join lateral (${entrySql('d')}) e on true
  left join lateral (
    select k.price, k.source_ms, k.seq from ticks k
    where k.symbol_id = d.symbol_id and k.source_ms <= d.end_time and k.source_ms >= d.end_time - d.stale_after_ms
    order by k.source_ms desc limit 1
  ) x on x.source_ms > coalesce(d.entry_time, e.source_ms)
  where ${isLocked('d')}
), judged as materialized (
  select k.id, k.account_id, k.mode, k.stake, k.end_time, k.e_seq, k.e_price, k.e_time,
    case when k.kind_changed then null else k.x_seq end as x_seq,
    case when k.kind_changed then null else k.x_price end as x_price,
    case when k.kind_changed then null else k.x_time end as x_time,
    ${byRule('status')}::trade_status as status,
    ${byRule('reason')} as reason,
    (k.stake * k.percent + 50) / 100 as profit
  from ticked k
), settled as (
  update trades t set status = j.status, settled_at = clock_timestamp(), outcome_reason = j.reason,
    payout = case j.status when 'Won' then j.stake + j.profit when 'Lost' then 0 else j.stake end,
    entry_seq = j.e_seq, entry_price = j.e_price, entry_time = j.e_time, exit_seq = j.x_seq, exit_price = j.x_price, exit_time = j.x_time
  from judged j where t.id = j.id
  returning t.id, t.account_id, t.trade_time, t.entry_time, t.end_time
), parts as (
  -- The stake goes back to the balance, or to the house; a win has a second part, the profit.
  select j.account_id, j.mode, j.id, j.end_time, p.part, p.amount,
    case when p.part = 2 then 'house' else 'escrow' end::slot as debit,
    case when p.part = 1 and j.status = 'Lost' then 'house' else 'balance' end::slot as credit
  from judged j
  cross join lateral (values (1::smallint, j.stake), (2::smallint, case when j.status = 'Won' then j.profit else 0 end)) p(part, amount)
  where p.amount > 0
), ${postPartsSql('trade_settle')}
select id, account_id, null::smallint as symbol_id, trade_time, entry_time, end_time from settled
union all
select null, d.account_id, d.symbol_id, min(d.trade_time), null, null from due d where not ${isLocked('d')} group by d.account_id, d.symbol_id`

const DUE_COLUMNS = `t.id, t.account_id, t.mode, t.symbol_id, t.source_kind, t.stale_after_ms, t.side, t.percent, t.stake, t.trade_time, t.end_time,
      t.rule_version, t.entry_seq, t.entry_price, t.entry_time`

/**
 * Settles up to $3 trades of the symbols $1 that end at or before the time proven for each ($2, Unix ms). Selecting by
 * proof, not by the clock, means that trades of a silent symbol never block the others. Two workers never take the same
 * trade; and worker $5 of $4 takes only its share of the users, so that workers don't take each other's accounts. Leaves out
 * the accounts $6, or takes only those if $7 is true.
 */
export const SETTLE_PROVEN_SQL = settleProven('')

/** What most rounds look at: trades that end later than this before the proven time. */
const RECENT_MS = 60_000
/**
 * The same for trades that have just ended. While a long query keeps settled rows from being cleaned up, the index still
 * leads to all of them: this steps over those of a minute only, so settlement doesn't get slower until the query ends.
 */
export const SETTLE_RECENT_SQL = settleProven(`and t.end_time > p.proven - ${RECENT_MS}`)

function settleProven(since: string): string {
  return `
with due as materialized (
  select d.* from unnest($1::smallint[], $2::bigint[]) as p(symbol_id, proven),
    lateral (
      select ${DUE_COLUMNS} from trades t
      where t.symbol_id = p.symbol_id and t.status = 'Pending' and t.end_time <= p.proven ${since}
        -- A plain equality, which the planner expects to hold for nearly nothing, leads to plans that take three times as long.
        and nullif(${userOfSql('t.account_id')} % $4::bigint = $5::bigint, false) is not null
        and nullif((t.account_id = any ($6::bigint[])) = $7::boolean, false) is not null
        and ${UNORDERED}
        and ${KNOWN_RULE}
      order by t.end_time limit $3::int for no key update skip locked
    ) d
  limit $3::int
), ${SETTLE_DUE}`
}

/**
 * Voids trades that the tape proves had no entry: those on the symbols $1, accepted from $2 on (Unix ms, for each symbol) of
 * which everything up to $3 (Unix ms, for each symbol) is proven, that is past their 10 s, without a tick.
 */
export const VOID_UNENTERED_SQL = `
with due as materialized (
  select d.* from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as p(symbol_id, since, proven),
    lateral (
      select ${DUE_COLUMNS} from trades t left join lateral (${entrySql('t')}) e on true
      where t.symbol_id = p.symbol_id and t.status = 'Pending' and t.entry_seq is null
        and t.trade_time >= p.since and t.trade_time + ${ENTRY_WITHIN_MS} <= p.proven and e.seq is null
        and ${KNOWN_RULE} and ${UNORDERED}
      order by t.id for no key update of t skip locked
    ) d
), ${SETTLE_DUE}`

/**
 * Sets the open stakes of limited symbols to their actual totals. First locks them, so that no acceptance changes them
 * meanwhile; then a separate statement, which sees everything that was committed under those locks before, sums up. A
 * symbol that an acceptance has locked right now is left to the next run.
 */
export const RECOUNT_SYMBOLS_SQL = `
do $$
declare
  mine smallint[];
begin
  mine := array(select symbol_id from symbol_open order by symbol_id for no key update skip locked);
  update symbol_open s set open = truth.open
  from (
    select m.symbol_id, coalesce(sum(t.stake), 0) as open
    from unnest(mine) as m(symbol_id)
    left join trades t on t.symbol_id = m.symbol_id and t.status = 'Pending' and t.mode = 'real'
    group by m.symbol_id
  ) truth
  where s.symbol_id = truth.symbol_id and s.open <> truth.open;
end
$$`
