import { PERIODS } from '#contract/account/guardrails.ts'
import { type Usd, usd } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'

/** Returns, as SQL text, the first day of the period that contains `day` (SQL of a date). Weeks begin on Monday. */
const periodStartSql = (period: (typeof PERIODS)[number], day: string): string =>
  ({
    day: `(${day})`,
    week: `((${day}) - (extract(isodow from (${day}))::int - 1))`,
    month: `((${day}) - (extract(day from (${day}))::int - 1))`,
  })[period]

/** Returns, as SQL text, the UTC day of a time in Unix ms. */
export const dayOfSql = (ms: string): string => `(timestamp 'epoch' + ${ms} * interval '1 millisecond')::date`

/** Returns, as SQL text, columns with the starts of the periods that contain `day`: `day_from`, `week_from`, `month_from`. */
export const periodStartsSql = (day: string): string =>
  PERIODS.map((period) => `${periodStartSql(period, day)} as ${period}_from`).join(', ')

/** Returns, as SQL text, an account's count of a period: 0 if it was last counted in an earlier one. */
export const countSql = (
  account: string,
  counted: 'staked' | 'lost',
  period: (typeof PERIODS)[number],
  starts: string,
): string =>
  `case when ${account}.counted_on >= ${starts}.${period}_from then ${account}.${counted}_${period} else 0 end`

/**
 * Returns the assignments of an `update accounts a` that count what was staked and lost, in all three periods. `starts`
 * has the columns of `periodStartsSql`. A late trade counts in the newer period.
 */
export const countedSql = (starts: string, { staked = '0', lost = '0' }: { staked?: string; lost?: string }): string =>
  [
    `counted_on = greatest(a.counted_on, ${starts}.day_from)`,
    ...PERIODS.flatMap((period) => [
      `staked_${period} = ${countSql('a', 'staked', period, starts)} + ${staked}`,
      `lost_${period} = ${countSql('a', 'lost', period, starts)} + ${lost}`,
    ]),
  ].join(', ')

type ByPeriod = Record<(typeof PERIODS)[number], bigint>

/** What an account staked and lost, in cents, and the UTC date it was last counted on (YYYY-MM-DD). */
export interface PeriodCounts {
  countedOn: string
  staked: ByPeriod
  /** Below 0 after a gain. */
  lost: ByPeriod
  openStakes: bigint
}

/** Returns an account's counts. Those of periods before the one of `countedOn` are over. */
export async function periodCountsOf(db: Db | Tx, accountId: bigint): Promise<PeriodCounts> {
  const row = await db.selectFrom('accounts').selectAll().where('id', '=', accountId).executeTakeFirstOrThrow()
  return {
    countedOn: row.counted_on,
    staked: { day: row.staked_day, week: row.staked_week, month: row.staked_month },
    lost: { day: row.lost_day, week: row.lost_week, month: row.lost_month },
    openStakes: row.escrow,
  }
}

/** Returns how many trades an account placed after a movement, and what trades that settled since won less what they lost. */
export async function resultSince(
  db: Db | Tx,
  accountId: bigint,
  seq: bigint,
): Promise<{ trades: number; result: Usd }> {
  const { rows } = await sql<{ trades: bigint; result: bigint }>`
    select count(*) filter (where cause = 'trade_open') as trades,
      coalesce(sum(case when debit = 'house' then amount when credit = 'house' then -amount end) filter (where cause in ('trade_settle', 'trade_sale')), 0)::bigint as result
    from transfers where account_id = ${accountId} and account_seq > ${seq}`.execute(db)
  return { trades: Number(first(rows).trades), result: usd(first(rows).result) }
}
