import { expect, test } from 'vitest'
import { testDatabase } from '#tests/support/database.ts'
import { sql } from './db.ts'

test('a test gets a migrated database of its own, as the role with the least rights', async () => {
  const { db } = await testDatabase()
  const { rows } = await sql<{
    role: string
    n: bigint
  }>`select current_user as role, 9007199254740993::int8 as n`.execute(db)
  expect(rows[0]).toEqual({ role: 'cleartick_app', n: 9007199254740993n })
  await expect(sql`create table x (id int)`.execute(db)).rejects.toThrow(/permission denied/)
})
