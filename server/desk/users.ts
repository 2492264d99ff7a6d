import type { DeskUser } from '#contract/desk.ts'
import { usd, usdToNumber } from '#kernel/money.ts'
import { type Db, sql, type Tx } from '../platform/db.ts'
import { parseNumber } from './items.ts'

interface Row {
  id: bigint
  email: string
  email_verified: boolean
  name: string
  country: string
  trading_plan: string
  balance: bigint
  demo_balance: bigint
  identity: DeskUser['identity']
  locks: (keyof DeskUser['locks'])[]
  created_at: Date
  ended_at: Date | null
}

export interface UserFilter {
  /** A part of the e-mail or the name, or a number. */
  q?: string | undefined
  status?: 'Living' | 'Ended' | undefined
  id?: bigint
}

/** Users, newest first. */
export async function users(
  db: Db | Tx,
  filter: UserFilter,
  page: { before: bigint | undefined; limit: number },
): Promise<DeskUser[]> {
  const like = filter.q ? `%${filter.q.replaceAll(/[\\%_]/g, '\\$&')}%` : null
  const number = filter.q ? (parseNumber(filter.q) ?? 0n) : null
  const { rows } = await sql<Row>`
    select u.id, u.email, u.email_confirmed_at is not null as email_verified, u.firstname || ' ' || u.lastname as name,
      u.country, u.trading_plan, r.balance, d.balance as demo_balance, i.status as identity,
      array(select l.kind from user_locks l where l.user_id = u.id) as locks, u.created_at, u.ended_at
    from users u join accounts r on r.id = u.id * 2 join accounts d on d.id = u.id * 2 + 1
      left join identity_checks i on i.user_id = u.id and i.superseded_at is null
    where (${like}::text is null or u.email ilike ${like} or u.firstname || ' ' || u.lastname ilike ${like} or u.id = ${number})
      and (${filter.status ?? null}::text is null or (u.ended_at is not null) = (${filter.status ?? null} = 'Ended'))
      and (${filter.id ?? null}::bigint is null or u.id = ${filter.id ?? null})
      and (${page.before ?? null}::bigint is null or u.id < ${page.before ?? null})
    order by u.id desc limit ${page.limit}`.execute(db)
  return rows.map((row) => ({
    id: String(row.id),
    email: row.email,
    email_verified: row.email_verified,
    name: row.name,
    country: row.country,
    trading_plan: row.trading_plan,
    balance: usdToNumber(usd(row.balance)),
    demo_balance: usdToNumber(usd(row.demo_balance)),
    identity: row.identity,
    locks: {
      trading: row.locks.includes('trading'),
      deposits: row.locks.includes('deposits'),
      withdrawals: row.locks.includes('withdrawals'),
      sign_in: row.locks.includes('sign_in'),
    },
    created_at: row.created_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
  }))
}
