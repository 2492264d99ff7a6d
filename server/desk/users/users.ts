import type { DeskUser } from '#contract/desk/people/users.ts'
import { parsePublicId, parseRowId } from '#kernel/id.ts'
import { accountOfSql, userOfSql } from '../../ledger/index.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import { dollars, inDays, inOrder, isAfter, isoOf, type List, type Page, readList, where } from '../lists/read.ts'

interface UserRow {
  id: string
  email: string
  email_verified: boolean
  name: string
  country: string
  trading_plan: string
  balance: number
  demo_balance: number
  identity: DeskUser['identity']
  locked: (keyof DeskUser['locks'])[]
  created_at: string
  ended_at: string | null
}

interface UserFilter {
  /** Part of the e-mail address or name, or the number of a user, trade, deposit or withdrawal. */
  q?: string | undefined
  status?: 'Active' | 'Ended' | undefined
  /** With a real trade that settled in the last UTC days. */
  traded?: string | undefined
  id?: bigint
}

/** Selects users, newest first. */
export const userRows = (filter: UserFilter, page: Page): List<UserRow> => sql`
  select u.id::text, u.email, u.email_confirmed_at is not null as email_verified, u.firstname || ' ' || u.lastname as name,
    u.country, u.trading_plan, r.balance, d.balance as demo_balance, i.status as identity,
    array(select l.kind from user_locks l where l.user_id = u.id) as locked, u.created_at, u.ended_at
  from users u
    join accounts r on r.id = ${sql.raw(accountOfSql('u.id', 'real'))}
    join accounts d on d.id = ${sql.raw(accountOfSql('u.id', 'demo'))}
    left join identity_checks i on i.user_id = u.id and i.superseded_at is null and i.kind = 'identity'
  where ${where(
    !!filter.q && named(filter.q),
    filter.status !== undefined && sql`(u.ended_at is not null) = ${filter.status === 'Ended'}`,
    filter.traded !== undefined &&
      sql`u.id in (
        select ${sql.raw(userOfSql('t.account_id'))} from trades t
        where ${where(sql`t.mode = 'real' and t.status <> 'Pending'`, inDays(sql`t.settled_at`, filter.traded))}
      )`,
    filter.id !== undefined && sql`u.id = ${filter.id}`,
    isAfter('u.id', page),
  )}
  ${inOrder('u.id', page)}`

function named(words: string) {
  const like = `%${words.replaceAll(/[\\%_]/g, '\\$&')}%`
  const id = parsePublicId(words.toUpperCase())
  return sql`(u.email ilike ${like} or u.firstname || ' ' || u.lastname ilike ${like} or u.id = ${parseRowId(words) ?? 0n}${
    id === undefined ? sql`` : sql` or ${owns(id)}`
  })`
}

const owns = (id: bigint) => sql`u.id in (
  select ${sql.raw(userOfSql('t.account_id'))} from trades t where t.id = ${id}
  union all select user_id from deposits where id = ${id}
  union all select user_id from deposit_requests where id = ${id}
  union all select user_id from withdrawals where id = ${id}
)`

export const toDeskUser = (row: UserRow): DeskUser => ({
  id: row.id,
  email: row.email,
  email_verified: row.email_verified,
  name: row.name,
  country: row.country,
  trading_plan: row.trading_plan,
  balance: dollars(row.balance),
  demo_balance: dollars(row.demo_balance),
  identity: row.identity,
  locks: {
    trading: row.locked.includes('trading'),
    deposits: row.locked.includes('deposits'),
    withdrawals: row.locked.includes('withdrawals'),
    sign_in: row.locked.includes('sign_in'),
  },
  created_at: isoOf(row.created_at),
  ended_at: row.ended_at === null ? null : isoOf(row.ended_at),
})

/** Lists users, newest first. */
export const users = async (db: Db | Tx, filter: UserFilter, page: Page): Promise<DeskUser[]> =>
  (await readList(db, userRows(filter, page))).map(toDeskUser)
