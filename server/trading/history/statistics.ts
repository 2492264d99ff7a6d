import type { StatisticsGroup, TradeStatistics } from '#contract/trading/trading.ts'
import { usd, usdToNumber } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import { DAY_MS, toIso } from '#kernel/time.ts'
import { accountOf, archivedTradesSql } from '../../ledger/index.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import type { Instruments } from '../../prices/index.ts'
import { ENDED, matchesSql, type TradeFilter, tradesOf } from '../store.ts'
import { hourSql, localSql, weekdaySql } from './local-time.ts'
import { breakEvenOf, ON_CURVE, PROFIT_PERCENT, RESULT, returnedSql } from './results.ts'

/** Statistics count at most this many trades, the newest ones. */
const STATISTICS_MOST = 25_000

/** The breakdowns, and the column of each. */
const BREAKDOWNS = {
  symbol: 'symbol_id',
  side: 'side',
  odds: 'percent',
  offer: 'offer',
  duration: 'duration_seconds',
  hour: 'hour',
  weekday: 'weekday',
  origin: 'origin',
} as const
type Breakdown = keyof typeof BREAKDOWNS | 'tag'
const COLUMNS = Object.values(BREAKDOWNS)

/** Numbers of trades, and sums in cents: exact as floats, because the number of trades is limited. */
interface Figures {
  by: Breakdown | null
  key: string | null
  trades: number
  won: number
  lost: number
  draw: number
  void: number
  sold: number
  staked: number
  net: number
  profit_percent: number | null
  spread: [closes: number, ww: number, wl: number, ll: number]
}

interface Run {
  trades: number
  from: number
  to: number
}

interface StatisticsRow {
  groups: Figures[] | null
  sums: { read: number; first: number | null; won: number | null; lost: number | null; returned: number }
  curve: [endMs: number, net: number][] | null
  fall: { amount: number; from: number; to: number } | null
  losing_run: Run | null
  winning_run: Run | null
  days: [day: number, trades: number, net: number][] | null
  archived: { before: string; trades: number; result: number } | null
}

/**
 * Adds up, in cents, those of the newest trades that match a filter, by each breakdown and in the order of their ends.
 * One query that reads a limited number of rows by the index of an account's ids; what it reads is final but for the
 * stakes that rulings return, so nothing has to be kept up to date when trades settle.
 */
export async function tradeStatistics(
  db: Db,
  instruments: Instruments,
  filter: TradeFilter,
  most = STATISTICS_MOST,
): Promise<TradeStatistics> {
  const account = String(accountOf(filter.userId, filter.mode))
  const { rows } = await sql<StatisticsRow>`
    with newest as materialized (${tradesOf(db, filter).limit(most)}),
    counted as materialized (
      select id, account_id, symbol_id, side, percent, duration_seconds, status, stake, trade_time, ended_at, returned,
        ${RESULT} as result, trade_time / 3600000 as close, local / 86400000 as day,
        side || ' ' || percent as offer, ${hourSql(sql`local`)} as hour, ${weekdaySql(sql`local`)} as weekday,
        case when signal is null then 'manual' else 'automatic' end as origin
      from (
        select *, ${returnedSql('newest')} as returned, ${sql.raw(ENDED)} as ended_at,
          ${localSql(ENDED, filter.zone ?? 'UTC')} as local
        from newest
        where status <> 'Pending' and ${matchesSql(filter)}
      ) n),
    ${GROUPS},
    ${SEQUENCE}
    select
      (select json_agg(groups) from groups) as groups,
      (select json_build_object('read', (select count(*) from newest), 'first', (select min(trade_time) from newest),
        'won', sum(result) filter (where status = 'Won'), 'lost', sum(result) filter (where status = 'Lost'),
        'returned', count(*) filter (where returned > 0)) from counted) as sums,
      (select json_agg(json_build_array(ended_at, net) order by n) from ended where ${ON_CURVE}) as curve,
      (select to_json(falls) from falls) as fall,
      (select to_json(runs) from runs where status = 'Lost' order by trades desc, "from" limit 1) as losing_run,
      (select to_json(runs) from runs where status = 'Won' order by trades desc, "from" limit 1) as winning_run,
      (select json_agg(json_build_array(day, trades, net) order by day) from (
        select day, count(*) as trades, sum(result) as net from counted group by day) d) as days,
      ${sql.raw(archivedTradesSql(account))} as archived`.execute(db)
  return toStatistics(first(rows), instruments, most)
}

/** SQL: the name of a row's breakdown, null for that of all trades. Each grouping set leaves its column's bit 0. */
const BREAKDOWN_NAME = sql.raw(
  `case ${Object.keys(BREAKDOWNS)
    .map((name, at) => `when columns & ${1 << (COLUMNS.length - 1 - at)} = 0 then '${name}'`)
    .join(' ')} end`,
)
const BREAKDOWN_KEY = sql.raw(`coalesce(${COLUMNS.map((column) => `${column}::text`).join(', ')})`)
const EACH_BY_CLOSE = sql.raw([...COLUMNS.map((column) => `(${column}, close)`), '(close)'].join(', '))

/** SQL: the figures of a group's trades of one hour of placing. */
const BY_CLOSE = sql`count(*) as trades,
  count(*) filter (where status = 'Won') as won, count(*) filter (where status = 'Lost') as lost,
  count(*) filter (where status = 'Draw') as draw, count(*) filter (where status = 'Void') as void,
  count(*) filter (where status = 'Sold') as sold,
  sum(stake) as staked, sum(result) as net, sum(stake) filter (where status in ('Won', 'Lost')) as decided,
  ${PROFIT_PERCENT} as profit_percent`
/** SQL: the same over its hours. */
const BY_GROUP = sql`
  sum(trades) as trades, sum(won) as won, sum(lost) as lost, sum(draw) as draw, sum(void) as void, sum(sold) as sold,
  sum(staked) as staked, sum(net) as net, sum(decided * profit_percent) / sum(decided) as profit_percent,
  json_build_array(count(*) filter (where won + lost > 0), sum(won * won), sum(won * lost), sum(lost * lost)) as spread`

/** SQL: the figures of each group of each breakdown, and of all. A trade counts for each of its tags. */
const GROUPS = sql`
  by_close as (
    select grouping(${sql.raw(COLUMNS.join(', '))}) as columns, ${sql.raw(COLUMNS.join(', '))}, ${BY_CLOSE}
    from counted group by grouping sets (${EACH_BY_CLOSE})),
  tags_by_close as (
    select tag, ${BY_CLOSE} from counted join trade_notes n on n.account_id = counted.account_id and n.trade_id = counted.id
      cross join unnest(n.tags) tag
    group by tag, close),
  groups as (
    select ${BREAKDOWN_NAME} as by, ${BREAKDOWN_KEY} as key, ${BY_GROUP} from by_close group by 1, 2
    union all select 'tag', tag, ${BY_GROUP} from tags_by_close group by tag)`

/** SQL: the running net result, its largest fall, and runs of decided trades that went the same way. */
const SEQUENCE = sql`
  ended as (
    select id, ended_at, status, n, count(*) over () as count, net, greatest(0, max(net) over (order by n)) as peak
    from (
      select id, ended_at, status, row_number() over w as n, sum(result) over w as net
      from counted window w as (order by ended_at, id)
    ) e),
  lows as (select n, ended_at, peak, net - peak as amount from ended where net < peak order by net - peak, n limit 1),
  falls as (
    select amount, ended_at as to, coalesce(
      (select max(e.ended_at) from ended e where e.n <= l.n and e.net = l.peak), (select min(e.ended_at) from ended e)) as "from"
    from lows l),
  runs as (
    select status, count(*) as trades, min(ended_at) as from, max(ended_at) as to from (
      select status, ended_at, row_number() over (order by n) - row_number() over (partition by status order by n) as run
      from ended where status in ('Won', 'Lost')
    ) r group by status, run)`

const dollarsOf = (cents: number): number => usdToNumber(usd(BigInt(cents)))
const perTrade = (cents: number, trades: number): number => Math.round(cents / trades) / 100

function toStatistics(row: StatisticsRow, instruments: Instruments, most: number): TradeStatistics {
  const { sums, archived, fall } = row
  const all = row.groups ?? []
  const total = all.find(({ by }) => by === null)
  const groupsOf = (by: Breakdown) =>
    all.filter((group) => group.by === by).map((group) => groupOf(group, nameOf(by, group.key ?? '', instruments)))
  const { key: _, ...totals } = groupOf(total ?? NONE, '')
  return {
    ...totals,
    ...(total && {
      average_stake: perTrade(total.staked, total.trades),
      ...(total.won > 0 && { average_win: perTrade(sums.won ?? 0, total.won) }),
      ...(total.lost > 0 && { average_loss: perTrade(0 - (sums.lost ?? 0), total.lost) }),
    }),
    returned: sums.returned,
    curve: (row.curve ?? []).map(([endMs, net]) => [endMs, dollarsOf(net)]),
    ...(fall && { fall: { ...timesOf(fall), amount: dollarsOf(fall.amount) } }),
    ...(row.losing_run && { losing_run: { ...timesOf(row.losing_run), trades: row.losing_run.trades } }),
    ...(row.winning_run && { winning_run: { ...timesOf(row.winning_run), trades: row.winning_run.trades } }),
    days: (row.days ?? []).map(([day, trades, net]) => [toIso(day * DAY_MS).slice(0, 10), trades, dollarsOf(net)]),
    by: {
      symbol: groupsOf('symbol'),
      side: groupsOf('side'),
      odds: groupsOf('odds'),
      offer: groupsOf('offer'),
      duration: groupsOf('duration'),
      hour: groupsOf('hour'),
      weekday: groupsOf('weekday'),
      origin: groupsOf('origin'),
      tag: groupsOf('tag'),
    },
    ...(sums.read === most && sums.first !== null && { since: toIso(sums.first) }),
    ...(archived && {
      archived: { before: archived.before, trades: archived.trades, net: dollarsOf(archived.result) },
    }),
  }
}

const NONE: Figures = {
  ...{ by: null, key: null, profit_percent: null, spread: [0, 0, 0, 0] },
  ...{ trades: 0, won: 0, lost: 0, draw: 0, void: 0, sold: 0, staked: 0, net: 0 },
}

const nameOf = (by: Breakdown, key: string, instruments: Instruments): string =>
  by === 'symbol' ? (instruments.byId(Number(key))?.symbol ?? '') : key

function groupOf({ by: _, profit_percent, staked, net, ...figures }: Figures, key: string): StatisticsGroup {
  return { ...figures, key, staked: dollarsOf(staked), net: dollarsOf(net), ...breakEvenOf(profit_percent) }
}

const timesOf = ({ from, to }: { from: number; to: number }) => ({ from: toIso(from), to: toIso(to) })
