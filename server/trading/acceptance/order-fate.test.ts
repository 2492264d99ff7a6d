import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { openUser } from '#tests/support/trades/money.ts'
import { accountOf, openAccounts } from '../../ledger/index.ts'
import { inTransaction, sql } from '../../platform/database/db.ts'
import { fateOf } from './order-fate.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await inTransaction(database.db, async (tx) => {
    await openUser(tx, 1n)
    await openAccounts(tx, 1n)
  })
})
afterAll(() => database.drop())

test('while an account stays locked, its rejection costs few statements, ends, and then finds out at once', async () => {
  let statements = 0
  const counted = database.db.withPlugin({
    transformQuery: ({ node }) => {
      statements++
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const db = Object.assign(counted, { log: database.db.log })
  const account = accountOf(1n, 'demo')
  await inTransaction(database.db, async (tx) => {
    await sql`select from accounts where id = ${account} for update`.execute(tx)
    await expect(fateOf(db, account, 'a key')).rejects.toMatchObject({ code: 'unavailable' })
  })
  expect(statements).toBeGreaterThan(3)
  expect(statements).toBeLessThan(30)
  statements = 0
  expect(await fateOf(db, account, 'a key')).toBeUndefined()
  expect(statements).toBe(1)
})
