import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectTo, createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { accountOf, accountOfSql } from '../../ledger/index.ts'
import { SETTLE_PROVEN_SQL, SETTLE_RECENT_SQL } from './settle.sql.ts'

/** While a long query runs, settled trades stay in the index of open ones. A round must not step over all of them. */
const SETTLED = 40_000
const NOW = 1_790_000_000_000
let database: TestDatabase
let owner: pg.Client
let reader: pg.Client
beforeAll(async () => {
  database = await createTestDatabase({ max: 2 })
  owner = await connectTo(database.superUrl)
  reader = await connectTo(database.superUrl)
  await owner.query("set session_replication_role = 'replica'")
  await owner.query(`insert into accounts (id, user_id, mode) values ($1, 1, 'demo')`, [accountOf(1n, 'demo')])
  await owner.query(
    `insert into trades (id, account_id, mode, symbol_id, duration_seconds, strike_rate, side, percent, stake, trade_time, end_time,
       stale_after_ms, source_kind, salt)
     select n, ${accountOfSql('1', 'demo')}, 'demo', 1, 60, '75/3', 'Buy', 75, 1000, t - 60000, t, 10000, 2, null
     from generate_series(1, ${SETTLED}) n cross join lateral (select ${NOW} - 7200000 + n * 170) at(t)`,
  )
  await reader.query('begin isolation level repeatable read')
  await reader.query('select count(*) from trades')
  await owner.query("update trades set status = 'Void', payout = stake, settled_at = now(), outcome_reason = 'x'")
  await owner.query('analyze trades')
})
afterAll(async () => {
  await Promise.all([owner.end(), reader.end()])
  await database.drop()
})

/** The pages that a settling statement reads when nothing is due. */
async function pagesOf(text: string): Promise<number> {
  const { rows } = await owner.query(
    `explain (analyze, buffers, format json, timing off) ${text
      .replaceAll('$1', `'{1}'`)
      .replaceAll('$2', `'{${NOW}}'`)
      .replaceAll('$3', '1000')
      .replaceAll('$4', '2')
      .replaceAll('$5', '0')
      .replaceAll('$6', `'{}'`)
      .replaceAll('$7', 'false')}`,
  )
  const [{ Plan: plan }] = rows[0]['QUERY PLAN']
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
}

test('while a query keeps settled rows, a round reads those of the last minute only', async () => {
  const recent = await pagesOf(SETTLE_RECENT_SQL)
  const all = await pagesOf(SETTLE_PROVEN_SQL)
  expect(all, 'it steps over two hours').toBeGreaterThan(500)
  expect(recent).toBeLessThan(all / 20)
})
