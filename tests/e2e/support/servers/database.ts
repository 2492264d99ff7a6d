import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Db, openDatabase } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'

/** The superuser's address of the server's database. */
export const databaseUrl = (dataDir = process.env.E2E_DATA!): Promise<string> =>
  readFile(join(dataDir, 'database-url'), 'utf8').then((text) => text.trim())

/** Runs `work` as the superuser in the database of the shared server, or of another data folder. */
export async function withServerDatabase<T>(work: (db: Db) => Promise<T>, dataDir?: string): Promise<T> {
  const { db, close } = openDatabase(await databaseUrl(dataDir), { max: 1, name: 'journey', log: createLog('silent') })
  try {
    return await work(db)
  } finally {
    await close()
  }
}
