import { onTestFinished } from 'vitest'
import { type Database, openDatabase } from '#server/platform/database/db.ts'
import { migrate } from '#server/platform/database/migrate.ts'
import { diskStorage, type FileStorage, type Files, filesKey, openFiles } from '#server/platform/files/index.ts'
import { startEmbedded } from '#server/platform/postgres/embedded.ts'
import { type DatabaseUrls, provision, withDatabase } from '#server/platform/postgres/provision.ts'
import { createLog } from '#server/platform/process/log.ts'
import { dataFolder } from './server.ts'

/** A data folder with its own running PostgreSQL but without a server: the source of a backup. */
export interface Installation extends Database {
  dataDir: string
  superUrl: string
  urls: DatabaseUrls
  files: Files
  storage: FileStorage
  stop(): Promise<void>
}

interface InstallationOptions {
  dataDir?: string
  settings?: Record<string, string>
  migrateWith?(ownerUrl: string): Promise<unknown>
}

/** Starts an installation, which is stopped and removed when the test ends. */
export async function startInstallation({
  dataDir = dataFolder(),
  settings = {},
  migrateWith = migrate,
}: InstallationOptions = {}): Promise<Installation> {
  const postgres = await startEmbedded({ dataDir, log: createLog('error'), unsafeFast: true, settings })
  onTestFinished(() => postgres.stop())
  const urls = await provision(postgres.superUrl, dataDir)
  await migrateWith(urls.owner)
  const superUrl = withDatabase(postgres.superUrl, 'cleartick')
  const database = openDatabase(superUrl, { max: 4, name: 'test', log: createLog('silent') })
  onTestFinished(() => database.close())
  const storage = diskStorage(`${dataDir}/files`)
  return {
    ...database,
    dataDir,
    superUrl,
    urls,
    files: openFiles({ storage, key: filesKey(dataDir, undefined) }),
    storage,
    async stop() {
      await database.close()
      await postgres.stop()
    },
  }
}
