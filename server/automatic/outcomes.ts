import { first } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'
import { isSoldSql } from '../trading/index.ts'
import { lossesInRowSql } from './reservations/reserve.sql.ts'

/** The results of an account's automatic trades. */
export interface Results {
  /** Placed or reserved. */
  trades: number
  won: number
  lost: number
  /** Sold before their end: neither won nor lost. */
  sold: number
  /** Cents, below 0 after losses; open trades don't count. */
  result: bigint
}

/** SQL: how many settled orders `o` were won, lost and sold. */
export const COUNTS = sql.raw(`count(*) filter (where o.payout > o.stake and not ${isSoldSql('o.trade_id')}) as won,
  count(*) filter (where o.payout = 0) as lost, count(*) filter (where o.payout > 0 and ${isSoldSql('o.trade_id')}) as sold`)

const FIGURES = sql`
  count(*) filter (where o.status <> 'Skipped') as trades, ${COUNTS}, coalesce(sum(o.payout - o.stake), 0)::bigint as result`

interface FigureRow {
  trades: bigint
  won: bigint
  lost: bigint
  sold: bigint
  result: bigint
}

/** Returns the results of the UTC day of `now`, and of all orders that follow later signals than `after`. */
export async function resultsOf(
  db: Db | Tx,
  { accountId, now, after }: { accountId: bigint; now: Ms; after: bigint },
): Promise<{ today: Results; total: Results & { lossesInRow: number }; open: boolean }> {
  const { rows: today } = await sql<FigureRow>`
    select ${FIGURES} from automatic_orders o
    where o.account_id = ${accountId} and o.day = (timestamp 'epoch' + ${now}::bigint * interval '1 millisecond')::date`.execute(
    db,
  )
  const { rows: open } = await sql`
    select from automatic_orders
    where account_id = ${accountId} and (status = 'Reserved' or status = 'Traded' and payout is null)`.execute(db)
  const { rows: total } = await sql<FigureRow & { in_row: bigint }>`
    select ${FIGURES}, (${sql.raw(lossesInRowSql(String(accountId), String(after)))}) as in_row
    from automatic_orders o where o.account_id = ${accountId} and o.signal > ${after}`.execute(db)
  return {
    today: toResults(first(today)),
    open: open.length > 0,
    total: { ...toResults(first(total)), lossesInRow: Number(first(total).in_row) },
  }
}

const toResults = (row: FigureRow): Results => ({
  trades: Number(row.trades),
  won: Number(row.won),
  lost: Number(row.lost),
  sold: Number(row.sold),
  result: row.result,
})
