import type { TradeResults } from '#contract/trading.ts'
import { usd, usdToNumber } from '#kernel/money.ts'
import { DAY_MS, type Ms, toIso } from '#kernel/time.ts'
import { accountOf, completeFromSql } from '../ledger/index.ts'
import { type Db, sql } from '../platform/database/db.ts'
import { type TradeFilter, tradesOf } from './store.ts'

/** Figures count at most this many trades, the newest ones. */
export const RESULTS_MOST = 10_000
const CURVE_POINTS = 200
/** The longest duration of a trade. */
const LONGEST_MS = DAY_MS

interface ResultsFilter extends TradeFilter {
  /** Only trades that ended since then. */
  endedFrom?: Ms | undefined
}

interface ResultsRow {
  /** Numbers of trades, and sums in cents: exact as floats, because both are limited. */
  figures: Record<'read' | 'open' | 'won' | 'lost' | 'draw' | 'void' | 'staked' | 'paid', number> & {
    break_even: number | null
    first: number | null
  }
  curve: [endMs: number, net: number][] | null
  archived_before: string | null
}

/** Adds up, in cents, those of the newest trades that match a filter. One query that reads a limited number of rows. */
export async function tradeResults(db: Db, { endedFrom, ...filter }: ResultsFilter, most = RESULTS_MOST) {
  const from = endedFrom === undefined ? filter.from : Math.max(filter.from ?? 0, endedFrom - LONGEST_MS)
  // The filters apply to what was read: a rare status would make the database read all trades.
  const newest = tradesOf(db, { ...filter, from }).limit(most)
  const matches = sql.join(
    [
      sql`true`,
      ...(filter.status === undefined ? [] : [sql`status = ${filter.status}`]),
      ...(filter.symbolId === undefined ? [] : [sql`symbol_id = ${filter.symbolId}`]),
      ...(filter.side === undefined ? [] : [sql`side = ${filter.side}`]),
      ...(endedFrom === undefined ? [] : [sql`end_time >= ${endedFrom}`]),
    ],
    sql` and `,
  )
  const archived = sql.raw(completeFromSql(String(accountOf(filter.userId, filter.mode))))
  const { rows } = await sql<ResultsRow>`
    with newest as materialized (${newest}),
    counted as (select * from newest where ${matches}),
    ended as (
      select end_time, sum(payout - stake) over (order by end_time, id) as net,
        row_number() over (order by end_time, id) as n, count(*) over () as count
      from counted where status <> 'Pending')
    select
      (select json_build_object(
        'read', (select count(*) from newest), 'first', (select min(trade_time) from newest),
        'open', count(*) filter (where status = 'Pending'), 'won', count(*) filter (where status = 'Won'),
        'lost', count(*) filter (where status = 'Lost'), 'draw', count(*) filter (where status = 'Draw'),
        'void', count(*) filter (where status = 'Void'),
        'staked', coalesce(sum(stake) filter (where status <> 'Pending'), 0), 'paid', coalesce(sum(payout), 0),
        'break_even', round(avg(10000.0 / (100 + percent)) filter (where status in ('Won', 'Lost')), 1)
      ) from counted) as figures,
      (select json_agg(json_build_array(end_time, net) order by n) from ended
        where n = count or n % ((count + ${CURVE_POINTS} - 1) / ${CURVE_POINTS}) = 0) as curve,
      ${archived} as archived_before`.execute(db)
  return toResults(rows[0]!, most)
}

function toResults({ figures, curve, archived_before }: ResultsRow, most: number): TradeResults {
  const { read, first, staked, paid, break_even, ...counts } = figures
  const dollarsOf = (cents: number) => usdToNumber(usd(BigInt(cents)))
  return {
    ...counts,
    staked: dollarsOf(staked),
    paid: dollarsOf(paid),
    net: dollarsOf(paid - staked),
    ...(break_even === null ? {} : { break_even }),
    curve: (curve ?? []).map(([endMs, net]) => [endMs, dollarsOf(net)]),
    ...(read === most && first !== null ? { since: toIso(first) } : {}),
    ...(archived_before === null ? {} : { archived_before }),
  }
}
