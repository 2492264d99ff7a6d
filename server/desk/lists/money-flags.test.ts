import type { RawBuilder } from 'kysely'
import { expect, test } from 'vitest'
import { connectTo, testDatabase } from '#tests/support/servers/database.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { depositRows } from '../queues/money/deposits.ts'
import { withdrawalRows } from '../queues/money/withdrawals.ts'

interface Plan {
  'Shared Hit Blocks': number
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

async function planOf(db: Db, query: RawBuilder<unknown>): Promise<Plan> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>`explain (analyze, format json) ${query}`.execute(db)
  return rows[0]!['QUERY PLAN'][0].Plan
}

/** How many rows of a table a query reads. */
async function rowsRead(db: Db, table: string, query: RawBuilder<unknown>): Promise<number> {
  const read = (plan: Plan): number => {
    const mine =
      plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
    const here = plan['Relation Name'] === table ? mine * plan['Actual Loops'] : 0
    return (plan.Plans ?? []).reduce((sum, part) => sum + read(part), here)
  }
  return read(await planOf(db, query))
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

test('a page of the queues reads once what its operator approved alone, not once for each item', async () => {
  const APPROVED = 2_000
  const database = await testDatabase()
  const owner = await connectTo(database.superUrl)
  await owner.query('set session_replication_role = replica')
  await owner.query(`
    insert into operators (id, email, password_hash, totp_secret, roles) overriding system value
    select n, 'finance' || n || '@desk.example', 'x', 'x', '{finance}' from generate_series(1, 2) n`)
  await owner.query(`
    insert into users (id, email, password_hash, firstname, lastname, referral_code) overriding system value
    values (1, 'user@example.org', 'x', 'Ada', 'Byron', 'ABCDEFGH')`)
  await owner.query(`
    insert into deposits (id, user_id, method, coin, submitted, coin_amount, rate, address, receipt, receipt_hash, status, credited, decided_at)
    select n, 1, 'crypto', 'BTC', 100, 1, 1, 'a', lpad(n::text, 40, '0'), sha256(n::text::bytea),
      case when n > ${APPROVED} then 'Pending' else 'Approved' end::deposit_status,
      case when n <= ${APPROVED} then 100 end, case when n <= ${APPROVED} then now() end
    from generate_series(1, ${APPROVED + 50}) n`)
  await owner.query(
    `insert into deposit_approvals (deposit_id, operator_id, amount) select n, 1, 100 from generate_series(1, ${APPROVED}) n`,
  )
  await owner.query(`
    insert into withdrawals (id, user_id, method, coin, wallet, amount)
    select n, 1, 'crypto', 'BTC', n::text, 100 from generate_series(1, 50) n`)
  await owner.query('vacuum analyze')
  await owner.end()
  const pagesRead = async (query: RawBuilder<unknown>) => (await planOf(database.db, query))['Shared Hit Blocks']
  const approved = await pagesRead(sql`select * from approved_alone(1)`)
  for (const rows of [depositRows, withdrawalRows]) {
    const of = (operatorId: bigint) => pagesRead(rows({ status: 'Pending' }, PAGE, { operatorId } as WhoOperates))
    // The first run reads what is cached afterwards.
    await of(1n)
    expect((await of(1n)) - (await of(2n)), 'more than for an operator who approved nothing').toBeLessThan(2 * approved)
  }
})
