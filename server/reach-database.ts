import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { archiveSettings } from './backup/index.ts'
import type { Config } from './config.ts'
import { lockData } from './platform/data-lock.ts'
import { isDatabaseDown, sqlState } from './platform/db.ts'
import { createLog } from './platform/log.ts'
import { hasCluster, refuseLostCluster } from './platform/postgres/cluster.ts'
import { startEmbedded } from './platform/postgres/embedded.ts'
import { withDatabase } from './platform/postgres/provision.ts'
import { noDataFolder, StartProblem } from './platform/start-problem.ts'
import { keepTimelines } from './platform/timelines.ts'

/** Returns the superuser's address: of the running server's PostgreSQL, or of one started temporarily. */
export async function reachDatabase(config: Config): Promise<{ url: string; close(): Promise<void> }> {
  keepTimelines(config.dataDir)
  const nothing = async () => undefined
  if (config.DATABASE_URL) return { url: config.DATABASE_URL, close: nothing }
  const address = join(config.dataDir, 'database-url')
  if (!existsSync(config.dataDir)) throw noDataFolder(config.dataDir)
  refuseLostCluster(config.dataDir)
  if (!hasCluster(config.dataDir) || !existsSync(address)) {
    throw new StartProblem(
      `There is no database in ${config.dataDir} yet. Start the server once, or set DATA_DIR to its folder or DATABASE_URL to its address.`,
    )
  }
  const lock = await lockData(config.dataDir).catch((error: unknown) => {
    if (error instanceof StartProblem) return undefined
    throw error
  })
  const url = readFileSync(address, 'utf8').trim()
  if (!lock) return { url, close: nothing }
  try {
    const postgres = await startEmbedded({
      dataDir: config.dataDir,
      log: createLog('silent'),
      settings: archiveSettings(config.WAL_ARCHIVE),
    })
    return {
      url: withDatabase(postgres.superUrl, new URL(url).pathname.slice(1)),
      async close() {
        await postgres.stop()
        await lock.release()
      },
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Returns one sentence for errors that the operator can fix; anything else is a bug and keeps its stack trace. */
export function whyNot(error: unknown): string {
  if (error instanceof StartProblem) return error.message
  const state = sqlState(error)
  if (state === '28P01' || state === '28000') return 'The database rejected the user name or password in its URL.'
  if (state === '3D000') return "The database in the URL doesn't exist."
  if (state === '42P01') return 'This database has no Cleartick tables yet. Start the server once.'
  if (state === '42501') return 'The role in the URL lacks permissions. Use the owner or a superuser.'
  if (isDatabaseDown(error)) return "Can't reach the database. Check that it's running and that its URL is right."
  return `That failed: ${error instanceof Error ? error.stack : String(error)}`
}
