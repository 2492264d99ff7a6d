import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Db, openDatabase } from '#server/platform/db.ts'
import { createLog } from '#server/platform/log.ts'

/** Runs `work` as the superuser in the database of the shared server, or of another data folder. */
export async function withServerDatabase<T>(work: (db: Db) => Promise<T>, dataDir = process.env.E2E_DATA!): Promise<T> {
  const url = readFileSync(join(dataDir, 'database-url'), 'utf8').trim()
  const { db, close } = openDatabase(url, { max: 1, name: 'journey', log: createLog('silent') })
  try {
    return await work(db)
  } finally {
    await close()
  }
}
