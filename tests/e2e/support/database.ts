import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Db, openDatabase } from '#server/platform/db.ts'
import { createLog } from '#server/platform/log.ts'

/** Runs `work` in the database of the run's server, or of another one's data folder, as the superuser. */
export async function withServerDatabase<T>(work: (db: Db) => Promise<T>, dataDir = process.env.E2E_DATA!): Promise<T> {
  const url = readFileSync(join(dataDir, 'database-url'), 'utf8').trim()
  const { db, close } = openDatabase(url, { max: 1, name: 'journey', log: createLog('silent') })
  try {
    return await work(db)
  } finally {
    await close()
  }
}
