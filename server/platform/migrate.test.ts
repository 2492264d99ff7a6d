import pg from 'pg'
import { expect, test } from 'vitest'
import { testDatabase } from '#tests/support/database.ts'
import { migrate } from './migrate.ts'

test('does nothing to a database that is up to date', async () => {
  const { ownerUrl } = await testDatabase()
  expect(await migrate(ownerUrl)).toEqual([])
})

test('rejects a database with migrations of another build, and leaves it unchanged', async () => {
  const { ownerUrl, superUrl } = await testDatabase()
  const client = new pg.Client({ connectionString: superUrl })
  await client.connect()
  const names = async () => (await client.query('select name from migrations order by id')).rows
  await client.query(`update migrations set name = '0012_nobodys_own' where name = '0011_desk'`)
  const before = await names()
  await expect(migrate(ownerUrl)).rejects.toThrow(/its migration 0012_nobodys_own is not part of this one\. Use a new/)
  expect(await names()).toEqual(before)
  await client.end()
})
