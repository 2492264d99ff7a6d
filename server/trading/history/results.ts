import { breakEvenRate } from '#contract/prices/measured.ts'
import type { TradeResults } from '#contract/trading/trading.ts'
import { usd, usdToNumber } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import { toIso } from '#kernel/time.ts'
import { accountOf, completeFromSql } from '../../ledger/index.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import { ENDED, matchesSql, type TradeFilter, tradesOf } from '../store.ts'

/** Figures count at most this many trades, the newest ones. */
export const RESULTS_MOST = 10_000
const CURVE_POINTS = 200
/** SQL: whether the `n`-th of `count` trades is a point of the curve. */
export const ON_CURVE = sql`(n = count or n % ((count + ${CURVE_POINTS} - 1) / ${CURVE_POINTS}) = 0)`
/** SQL: the mean profit of a win in percent of the stake, over decided trades, weighted by their stakes. */
export const PROFIT_PERCENT = sql`sum(stake * percent) filter (where status in ('Won', 'Lost'))
  / sum(stake) filter (where status in ('Won', 'Lost'))`
const returnedText = (trade: string) =>
  `coalesce((select r.amount from trade_remedies r where r.trade_id = ${trade}.id), 0)`
/** SQL: what a ruling returned of a trade's stake after it was lost. */
export const returnedSql = (trade: string) => sql<bigint>`${sql.raw(returnedText(trade))}`
const RESULT_TEXT = 'payout + returned - stake'
/** SQL: what a settled trade brought: what it and a later ruling paid, less the stake. */
export const RESULT = sql<bigint>`${sql.raw(RESULT_TEXT)}`
/** SQL: the results of each account's settled trades, as every figure counts them. */
export const ACCOUNT_RESULTS = `
  select account_id, sum(${RESULT_TEXT}) as result from (
    select *, ${returnedText('t')} as returned from trades t where status <> 'Pending'
  ) settled group by account_id`

interface ResultsRow {
  /** Numbers of trades, and sums in cents: exact as floats, because both are limited. */
  figures: Record<'read' | 'open' | 'won' | 'lost' | 'draw' | 'void' | 'sold' | 'staked' | 'paid', number> & {
    profit_percent: number | null
    first: number | null
  }
  curve: [endMs: number, net: number][] | null
  archived_before: string | null
}

/** Adds up, in cents, those of the newest trades that match a filter. One query that reads a limited number of rows. */
export async function tradeResults(db: Db, filter: TradeFilter, most = RESULTS_MOST) {
  // The filters apply to what was read: a rare status would make the database read all trades.
  const newest = tradesOf(db, filter).limit(most)
  const archived = sql.raw(completeFromSql(String(accountOf(filter.userId, filter.mode))))
  const { rows } = await sql<ResultsRow>`
    with newest as materialized (${newest}),
    counted as (select *, ${returnedSql('newest')} as returned, ${sql.raw(ENDED)} as ended_at from newest where ${matchesSql(filter)}),
    ended as (
      select ended_at, sum(${RESULT}) over (order by ended_at, id) as net,
        row_number() over (order by ended_at, id) as n, count(*) over () as count
      from counted where status <> 'Pending')
    select
      (select json_build_object(
        'read', (select count(*) from newest), 'first', (select min(trade_time) from newest),
        'open', count(*) filter (where status = 'Pending'), 'won', count(*) filter (where status = 'Won'),
        'lost', count(*) filter (where status = 'Lost'), 'draw', count(*) filter (where status = 'Draw'),
        'void', count(*) filter (where status = 'Void'), 'sold', count(*) filter (where status = 'Sold'),
        'staked', coalesce(sum(stake) filter (where status <> 'Pending'), 0), 'paid', coalesce(sum(payout + returned), 0),
        'profit_percent', ${PROFIT_PERCENT}
      ) from counted) as figures,
      (select json_agg(json_build_array(ended_at, net) order by n) from ended where ${ON_CURVE}) as curve,
      ${archived} as archived_before`.execute(db)
  return toResults(first(rows), most)
}

/** The win rate, in percent with one decimal, at which trades with this mean profit come out even. */
export const breakEvenOf = (profitPercent: number | null): { break_even?: number } =>
  profitPercent === null ? {} : { break_even: Math.round(breakEvenRate(profitPercent) * 10) / 10 }

function toResults({ figures, curve, archived_before }: ResultsRow, most: number): TradeResults {
  const { read, first, staked, paid, profit_percent, ...counts } = figures
  const dollarsOf = (cents: number) => usdToNumber(usd(BigInt(cents)))
  return {
    ...counts,
    staked: dollarsOf(staked),
    paid: dollarsOf(paid),
    net: dollarsOf(paid - staked),
    ...breakEvenOf(profit_percent),
    curve: (curve ?? []).map(([endMs, net]) => [endMs, dollarsOf(net)]),
    ...(read === most && first !== null ? { since: toIso(first) } : {}),
    ...(archived_before === null ? {} : { archived_before }),
  }
}
