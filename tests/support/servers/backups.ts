import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openTarget } from '#ops/backup/index.ts'
import { verifyAll } from '#ops/commands/verify-all.ts'
import { openDatabase } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import type { Installation } from './installation.ts'
import { dataFolder } from './server.ts'

/** A limit for busy machines: alone, the longest test takes 10 seconds. */
export const TIMEOUT_MS = 120_000
export const key = randomBytes(32)

/** Opens a place for backups in a new folder. */
export const folderTarget = async () => {
  const folder = dataFolder()
  return { folder, target: await openTarget(folder) }
}

/** Returns what a backup needs to know of an installation. */
export const source = ({ superUrl, dataDir, storage }: Installation) => ({
  url: superUrl,
  dataDir,
  kind: 'embedded' as const,
  filesKey: undefined,
  files: storage,
})

/** Returns whether every invariant of a restored database holds, as `npm run restore` checks. */
export async function verify(superUrl: string): Promise<boolean> {
  const { db, close } = openDatabase(superUrl, { max: 2, name: 'verify', log: createLog('silent') })
  onTestFinished(close)
  return (await verifyAll(db, { patienceMs: 0 })).every(({ broken }) => broken === undefined)
}

/** Returns the paths of all files in a folder and below. */
export const objectsOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
