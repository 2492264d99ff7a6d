import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startInstallation } from '#tests/support/servers/installation.ts'
import { createLog } from '../process/log.ts'
import { openDatabase, sql } from './db.ts'
import { readReplicas } from './replicas.ts'

test('names standbys, and their lag once the login may see it', async () => {
  const { superUrl, urls, db: owner } = await startInstallation()
  const { db, close } = openDatabase(urls.app, { max: 1, name: 'test', log: createLog('silent') })
  onTestFinished(close)
  expect(await readReplicas(db)).toEqual([])
  // A walsender that streams, as to a standby.
  const settings = { connectionString: superUrl, replication: 'true', application_name: 'two' }
  const receiver = new pg.Client(settings)
  receiver.on('error', () => undefined)
  await receiver.connect()
  onTestFinished(() => void receiver.connection.stream.destroy())
  const { rows } = await receiver.query<{ xlogpos: string }>('IDENTIFY_SYSTEM')
  receiver.query(`START_REPLICATION ${rows[0]!.xlogpos}`).catch(() => undefined)
  await expect.poll(() => readReplicas(db)).toEqual([{ name: 'two', lagSeconds: undefined }])
  await sql`grant pg_read_all_stats to ${sql.id(new URL(urls.app).username)}`.execute(owner)
  await expect.poll(() => readReplicas(db)).toEqual([{ name: 'two', lagSeconds: expect.any(Number) }])
})
