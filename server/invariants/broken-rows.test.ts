import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { ledgerChecks } from '../ledger/index.ts'
import { sql } from '../platform/database/db.ts'
import { brokenRowsSql } from './broken-rows.ts'
import { brokenRows, crossRoomChecks } from './index.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

interface Plan {
  'Node Type': string
  'Subplan Name'?: string
  Plans?: Plan[]
}

test.each([...ledgerChecks, ...crossRoomChecks])(
  '$name is planned for all rows, not for its first few',
  async (check) => {
    const { rows } = await sql
      .raw<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (format json) ${brokenRowsSql(check, 5)}`)
      .execute(database.db)
    const { Plan: limit } = rows[0]!['QUERY PLAN'][0]
    // The limit applies to a list that was planned without it.
    expect(limit['Node Type']).toBe('Limit')
    expect(limit.Plans!.map((plan) => plan['Subplan Name'] ?? plan['Node Type'])).toEqual(['CTE broken', 'CTE Scan'])
  },
)

test('returns the first broken rows as JSON, with exact numbers', async () => {
  const check = { name: 'X', says: 'nothing', sql: 'select 9007199254740993 + g as id from generate_series(0, 9) g' }
  expect(await brokenRows(database.db, check, 2)).toEqual(['{"id":"9007199254740993"}', '{"id":"9007199254740994"}'])
})
