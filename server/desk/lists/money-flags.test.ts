import type { RawBuilder } from 'kysely'
import { expect, test } from 'vitest'
import { connectTo, testDatabase } from '#tests/support/servers/database.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { depositRows } from '../queues/money/deposits.ts'
import { withdrawalRows } from '../queues/money/withdrawals.ts'

interface Plan {
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

/** How many rows of a table a query reads. */
async function rowsRead(db: Db, table: string, query: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>`explain (analyze, format json) ${query}`.execute(db)
  const read = (plan: Plan): number => {
    const mine =
      plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
    const here = plan['Relation Name'] === table ? mine * plan['Actual Loops'] : 0
    return (plan.Plans ?? []).reduce((sum, part) => sum + read(part), here)
  }
  return read(rows[0]!['QUERY PLAN'][0].Plan)
}

const WHO = { operatorId: 1n } as WhoOperates
const PAGE = { after: undefined, limit: 50 }

test.each([
  ['by as many users', 'n'],
  ['by two users', 'n % 2'],
])('a page of the queues reads few rows, although 4,000 share a receipt or wallet, %s', async (_, user) => {
  const database = await testDatabase()
  const owner = await connectTo(database.superUrl)
  await owner.query('set session_replication_role = replica')
  await owner.query(`
    insert into users (id, email, password_hash, firstname, lastname, phone, referral_code) overriding system value
    select n, 'user-' || n || '@example.org', 'x', 'Ada', 'Byron', '+1', translate(lpad(n::text, 8, '0'), '0123456789', 'ABCDEFGHJK') from generate_series(0, 4000) n`)
  await owner.query(`
    insert into deposits (id, user_id, method, coin, submitted, coin_amount, rate, address, receipt, receipt_hash, picture_hash)
    select n, ${user}, 'crypto', 'BTC', 100, 1, 1, 'a', lpad(n::text, 40, '0'), decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex')
    from generate_series(1, 4000) n`)
  await owner.query(`
    insert into withdrawals (id, user_id, method, coin, wallet, amount)
    select n, ${user}, 'crypto', 'BTC', 'w', 100 from generate_series(1, 4000) n`)
  await owner.query('analyze')
  await owner.end()
  expect(await rowsRead(database.db, 'deposits', depositRows({}, PAGE, WHO))).toBeLessThan(1_000)
  expect(await rowsRead(database.db, 'withdrawals', withdrawalRows({}, PAGE, WHO))).toBeLessThan(1_000)
})
