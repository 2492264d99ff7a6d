import type { DeskBusiness } from '#contract/desk/money/business.ts'
import { PAYOUTS_DUE } from '#contract/desk/terms.ts'
import { WITHDRAWAL_BUSINESS_DAYS } from '#contract/terms.ts'
import { type Usd, usd, usdToNumber } from '#kernel/money.ts'
import { afterBusinessDaysSql } from '../../cashier/index.ts'
import { type Db, sql } from '../../platform/database/db.ts'

export type PayoutDue = (typeof PAYOUTS_DUE)[number]

/** When an open withdrawal is due, as one of `PAYOUTS_DUE`; a closed one never is. */
const dueSql = (withdrawal: string) => {
  const left = `${afterBusinessDaysSql(`${withdrawal}.created_at`, WITHDRAWAL_BUSINESS_DAYS)} - transaction_timestamp()`
  return sql.raw(`case when ${withdrawal}.status in ('Pending', 'Processing') then
    case when ${left} < '0' then 'late' when ${left} < '1 day' then '1' when ${left} < '3 days' then '3' else 'later' end end`)
}

/** The condition for open withdrawals that are due then, if asked for. */
export const payoutIsDue = (withdrawal: string, due: PayoutDue | undefined) =>
  due !== undefined &&
  sql`${sql.ref(`${withdrawal}.status`)} in ('Pending', 'Processing') and ${dueSql(withdrawal)} = ${sql.lit(due)}`

/** Counts open withdrawals by when they're due. */
export async function payoutsDue(db: Db): Promise<DeskBusiness['payouts_due']> {
  const { rows } = await sql<{ due: PayoutDue; withdrawals: number; approved: number; amount: Usd }>`
    select ${dueSql('w')} as due, count(*)::int as withdrawals, (count(*) filter (where w.status = 'Processing'))::int as approved,
      sum(w.amount)::bigint as amount
    from withdrawals w where w.status in ('Pending', 'Processing') group by 1`.execute(db)
  return PAYOUTS_DUE.map((due) => {
    const { withdrawals = 0, approved = 0, amount = usd(0n) } = rows.find((row) => row.due === due) ?? {}
    return { due, withdrawals, approved, amount: usdToNumber(amount) }
  })
}
