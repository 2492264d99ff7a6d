import pg from 'pg'
import { expect, test } from 'vitest'
import { healthy } from '#tests/support/crowd.ts'
import { testDatabase } from '#tests/support/database.ts'
import { dataFolder, startServer } from '#tests/support/server.ts'

test("the server runs on the operator's PostgreSQL with only its own login", async () => {
  const { superUrl } = await testDatabase()
  const server = await startServer(dataFolder(), { DATABASE_URL: superUrl })
  const client = new pg.Client({ connectionString: superUrl })
  await client.connect()
  try {
    await healthy(server)
    const { rows } = await client.query<{ usename: string }>(
      'select distinct usename from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    expect(rows.map(({ usename }) => usename)).toEqual(['cleartick_server'])
  } finally {
    await client.end()
    await server.end('SIGTERM')
  }
})
