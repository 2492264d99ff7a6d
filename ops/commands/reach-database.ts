import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '#server/config/config.ts'
import { keepTimelines } from '#server/platform/database/timelines.ts'
import { hasCluster, refuseLostCluster } from '#server/platform/postgres/cluster.ts'
import { startEmbedded } from '#server/platform/postgres/embedded.ts'
import { DATABASE, withDatabase } from '#server/platform/postgres/provision.ts'
import { archiveSettings } from '#server/platform/postgres/wal.ts'
import { lockData } from '#server/platform/process/data-lock.ts'
import { createLog } from '#server/platform/process/log.ts'
import { noDataFolder, StartProblem } from '#server/platform/process/start-problem.ts'

/** Returns the superuser's address: of the running server's PostgreSQL, or of one started temporarily. */
export async function reachDatabase(config: Config): Promise<{ url: string; close(): Promise<void> }> {
  keepTimelines(config.dataDir)
  const nothing = async () => undefined
  if (config.DATABASE_URL) return { url: config.DATABASE_URL, close: nothing }
  if (!existsSync(config.dataDir)) throw noDataFolder(config.dataDir)
  refuseLostCluster(config.dataDir)
  if (!hasCluster(config.dataDir)) {
    throw new StartProblem(
      `There is no database in ${config.dataDir} yet. Start the server once, or set DATA_DIR to its folder or DATABASE_URL to its address.`,
    )
  }
  const lock = await lockData(config.dataDir).catch((error: unknown) => {
    if (error instanceof StartProblem) return undefined
    throw error
  })
  const url = addressIn(config.dataDir)
  if (!lock) {
    if (url === undefined) throw new StartProblem(`${config.dataDir} is in use. Try again in a moment.`)
    return { url, close: nothing }
  }
  try {
    const postgres = await startEmbedded({
      dataDir: config.dataDir,
      log: createLog('silent'),
      settings: archiveSettings(config.WAL_ARCHIVE),
    })
    return {
      url: withDatabase(postgres.superUrl, url === undefined ? DATABASE : new URL(url).pathname.slice(1)),
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

/** The address that the server wrote when it last started; undefined in a folder that was restored and never started. */
function addressIn(dataDir: string): string | undefined {
  const file = join(dataDir, 'database-url')
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}
