import type { DeskMoney } from '#contract/desk/money/in-and-out.ts'
import { publicId } from '#kernel/id.ts'
import { userOfSql } from '../../ledger/index.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import { dollars, inDays, inOrder, isAfter, isoOf, type List, type Page, readList, where } from '../lists/read.ts'

interface MoneyRow {
  id: string
  at: string
  cause: 'deposit_credit' | 'deposit_reversal' | 'deposit_reinstatement' | 'withdraw_paid'
  user_id: string
  email: string
  amount: number
  item: string
}

const KINDS = {
  deposit_credit: 'deposit',
  deposit_reversal: 'reversal',
  deposit_reinstatement: 'reinstatement',
  withdraw_paid: 'withdrawal',
} as const satisfies Record<MoneyRow['cause'], DeskMoney['kind']>

/** What came in from outside less what went out, of parts of movements in cents. */
export const NET_SQL = sql`sum(case when debit = 'external_in' then amount else -amount end)`
export const IN_AND_OUT_SQL = sql`cause in ('deposit_credit', 'deposit_reversal', 'deposit_reinstatement', 'withdraw_paid')`

/** Selects movements of money in and out, by their own ids, newest first. */
const moneyRows = (days: string | undefined, page: Page): List<MoneyRow> => sql`
  select m.cause_id::text as id, m.at, m.cause, u.id::text as user_id, u.email, m.amount,
    coalesce(r.deposit_id, i.deposit_id, m.cause_id)::text as item
  from (
    select cause, cause_id, min(at) as at, min(account_id) as account_id, ${NET_SQL}::bigint as amount
    from transfers where ${where(IN_AND_OUT_SQL, inDays(sql`at`, days), isAfter('cause_id', page))}
    group by cause, cause_id ${inOrder('cause_id', page)}
  ) m
  join users u on u.id = ${sql.raw(userOfSql('m.account_id'))}
  left join deposit_reversals r on m.cause = 'deposit_reversal' and r.id = m.cause_id
  left join deposit_reinstatements i on m.cause = 'deposit_reinstatement' and i.id = m.cause_id
  ${inOrder('m.cause_id', page)}`

/** Lists the movements that net deposits add up. */
export const money = async (db: Db | Tx, days: string | undefined, page: Page): Promise<DeskMoney[]> =>
  (await readList(db, moneyRows(days, page))).map((row) => ({
    id: publicId(BigInt(row.id)),
    at: isoOf(row.at),
    kind: KINDS[row.cause],
    user_id: row.user_id,
    email: row.email,
    amount: dollars(row.amount),
    item_id: publicId(BigInt(row.item)),
  }))
